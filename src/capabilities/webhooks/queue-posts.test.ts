import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queuePosts, type QueuedPost } from '#capabilities/webhooks/queue-posts.operation.ts'
import { rotateSecret } from '#capabilities/webhooks/rotate-secret.operation.ts'
import { replayDead } from '#capabilities/webhooks/replay.operation.ts'
import { makeAccount, useWorld, type World } from '../../../test/support/session-world.ts'
import { openReceiver } from '../../../test/support/webhook-receiver.ts'
import { deliveriesOf, dispatch, verify } from '../../../test/support/webhook-world.ts'

const world = useWorld()
const text = '{"TransactionID":57,"Amount":25.5,"REFID":"order-1001"}'

async function openForm(needs: World, url: string) {
  const { accountId } = await makeAccount(needs)
  const post: QueuedPost = {
    accountId,
    key: 'form_12',
    url,
    content: { kind: 'json', text },
    at: needs.clock.now(),
  }
  return { needs, accountId, post }
}

test("what a form posts is sent as it is, signed with the account's own secret", async (t) => {
  const receiver = await openReceiver(t)
  const form = await openForm(world(), `${receiver.url}?shop=1`)
  const secret = await rotateSecret(form.needs, { accountId: form.accountId, endpointId: null })
  assert(secret.ok)
  await form.needs.db.inTransaction((tx) => queuePosts(tx, [form.post]))
  await dispatch(form.needs)
  const [one] = receiver.received
  assert(one)
  assert.deepEqual([one.method, one.path, one.body], ['POST', '/hooks?shop=1', text])
  assert.deepEqual(verify(form, secret.value, one), JSON.parse(text))
})

test('a GET carries its members in the address, which is what is signed', async (t) => {
  const receiver = await openReceiver(t)
  const form = await openForm(world(), `${receiver.url}?shop=1`)
  const secret = await rotateSecret(form.needs, { accountId: form.accountId, endpointId: null })
  assert(secret.ok)
  const content = { kind: 'query', members: { txid: '57', cid: 'a b&c' } } as const
  await form.needs.db.inTransaction((tx) => queuePosts(tx, [{ ...form.post, content }]))
  await dispatch(form.needs)
  const [one] = receiver.received
  assert(one)
  assert.deepEqual([one.method, one.path, one.body], ['GET', '/hooks?shop=1&txid=57&cid=a+b%26c', ''])
  const signed = one.path.split('?')[1] ?? ''
  assert.throws(() => verify(form, secret.value, { ...one, body: `${signed}0` }), /signature/)
  assert.throws(() => verify(form, secret.value, { ...one, body: signed }), SyntaxError, 'right, but no JSON')
})

test('nothing is sent of a payment that was not committed', async (t) => {
  const receiver = await openReceiver(t)
  const form = await openForm(world(), receiver.url)
  const work = form.needs.db.inTransaction(async (tx) => {
    await queuePosts(tx, [form.post])
    throw new Error('The payment did not come to be')
  })
  await assert.rejects(work, /^Error: The payment did not come to be$/)
  await dispatch(form.needs)
  assert.equal(receiver.received.length, 0)
})

test('the same message queued twice is sent once', async (t) => {
  const receiver = await openReceiver(t)
  const form = await openForm(world(), receiver.url)
  await form.needs.db.inTransaction((tx) => queuePosts(tx, [form.post, form.post]))
  await form.needs.db.inTransaction((tx) => queuePosts(tx, [form.post]))
  await dispatch(form.needs)
  assert.equal(receiver.received.length, 1)
})

test('it is retried with the same id and bytes, listed when it never arrives, and replayed', async (t) => {
  const receiver = await openReceiver(t)
  receiver.answer(500, 410, 200)
  const form = await openForm(world(), receiver.url)
  await form.needs.db.inTransaction((tx) => queuePosts(tx, [form.post]))
  await dispatch(form.needs)
  form.needs.clock.advance({ seconds: 7 })
  await dispatch(form.needs)
  const [dead] = await deliveriesOf(form)
  assert.deepEqual([dead?.state, dead?.problem], ['dead', 'Answered 410'])
  assert.equal(await replayDead(form.needs, form.accountId), 1)
  await dispatch(form.needs)
  const told = receiver.received.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body}`)
  assert.deepEqual([told.length, new Set(told).size], [3, 1])
  assert.equal((await deliveriesOf(form))[0]?.state, 'delivered')
})

test('an address inside our own walls is judged again when it is called', async () => {
  const form = await openForm(world(), 'http://169.254.169.254/latest')
  await form.needs.db.inTransaction((tx) => queuePosts(tx, [form.post]))
  await dispatch(form.needs)
  const [waiting] = await deliveriesOf(form)
  assert.equal(waiting?.problem, 'The address is one that nothing is ever sent to')
})

test('a shop that hangs does not delay what another form of the account posts', async (t) => {
  const [hanging, healthy] = [await openReceiver(t, () => undefined), await openReceiver(t)]
  const form = await openForm(world(), hanging.url)
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  const posts = [form.post, { ...form.post, url: healthy.url }]
  await form.needs.db.inTransaction((tx) => queuePosts(tx, posts))
  const stoppable: World['sendRequest'] = (one) => form.needs.sendRequest(one, stopping.signal)
  const needs = { ...form.needs, sendRequest: stoppable }
  const round = dispatch(needs)
  await t.waitFor(() => assert.equal(healthy.received.length, 1), { timeout: 5_000, interval: 5 })
  stopping.abort()
  await round
})
