import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receiveWebhook, showInbox } from '#capabilities/sandbox/receive-webhook.operation.ts'
import { inboxPage } from '#capabilities/sandbox/inbox.page.ts'
import type { Secret } from '#kernel/secret.ts'
import { newWebhookSecret, signWebhook } from '#platform/crypto/standard-webhooks.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { openShop, type Shop } from '../../../test/support/webhook-world.ts'

const world = useWorld()
const body = '{"type":"payment.approved","data":{"amount":"25.50"}}'

let shops = 0
async function openInbox(needs: World): Promise<Shop & { readonly name: string }> {
  const name = `orders-${++shops}`
  return { ...(await openShop(needs, `http://127.0.0.1:8080/sandbox/inbox/${name}`)), name }
}

type Sent = {
  readonly secret: Secret
  readonly signed?: string
  readonly sent?: string
  readonly agoS?: number
}

async function arrive(
  { needs, name }: { needs: World; name: string },
  { secret, signed = body, sent = body, agoS = 0 }: Sent,
) {
  const timestampS = Math.floor(needs.clock.now().epochMilliseconds / 1_000) - agoS
  const id = 'evt_57_0a1b2c3d4e5f'
  await receiveWebhook(needs, {
    name,
    method: 'POST',
    path: `/sandbox/inbox/${name}`,
    headers: [
      ['webhook-id', id],
      ['webhook-timestamp', String(timestampS)],
      ['webhook-signature', signWebhook([secret], { id, timestampS, body: signed })],
    ],
    body: Buffer.from(sent),
    answered: 204,
  })
  const [newest] = await showInbox(needs)
  assert(newest)
  return newest
}

test('what arrives is kept to the byte, and its signature is found right', async () => {
  const inbox = await openInbox(world())
  const { secret } = inbox
  const message = await arrive(inbox, { secret })
  assert.equal(message.body.toString(), body)
  assert.equal(message.verdict, 'right')
  assert.equal(message.explanation, `Signed with the secret of webhook ${inbox.endpointId}.`)
})

const pretty = JSON.stringify(JSON.parse(body), null, 2)
const wrong: readonly [string, Omit<Sent, 'secret'>, RegExp][] = [
  ['was changed on its way', { sent: body.replace('25.50', '2.50') }, /None of the secrets/],
  ['was parsed and written anew', { sent: pretty }, /parsed the body and written it anew/],
  ['was recorded six minutes ago', { agoS: 360 }, /more than five minutes old/],
  ['comes from a clock that is ahead', { agoS: -360 }, /five minutes ahead/],
]
for (const [what, changes, explanation] of wrong) {
  test(`a message that ${what} is found wrong, and the page says why`, async () => {
    const inbox = await openInbox(world())
    const { secret } = inbox
    const message = await arrive(inbox, { secret, ...changes })
    assert.equal(message.verdict, 'wrong')
    assert.match(message.explanation, explanation)
  })
}

test('a message that was signed with another secret is found wrong', async () => {
  const message = await arrive(await openInbox(world()), { secret: newWebhookSecret() })
  assert.match(message.explanation, /another secret/)
})

test('a message to an address that no webhook has is told as such', async () => {
  const needs = world()
  const message = await arrive({ needs, name: 'nobody' }, { secret: newWebhookSecret() })
  assert.match(message.explanation, /No webhook is registered/)
})

test('a message without signature is told as such', async () => {
  const needs = world()
  const headers = [['content-type', 'text/plain']] as const
  const plain = { name: 'any', method: 'POST', path: '/sandbox/inbox/any', headers, answered: 204 }
  await receiveWebhook(needs, { ...plain, body: Buffer.from('hello') })
  const [newest] = await showInbox(needs)
  assert.equal(newest?.verdict, 'unsigned')
})

test('the newest fifty are kept', async () => {
  const inbox = await openInbox(world())
  for (let times = 0; times < 55; times++) await arrive(inbox, inbox)
  assert.equal((await showInbox(inbox.needs)).length, 50)
})

test('whatever arrives is shown as text and never as markup', async () => {
  const needs = world()
  const evil = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
  await receiveWebhook(needs, {
    name: 'evil',
    method: 'POST',
    path: `/sandbox/inbox/evil?${evil}`,
    headers: [['x-evil', evil]],
    body: Buffer.from(evil),
    answered: 204,
  })
  const page = inboxPage({
    messages: await showInbox(needs),
    baseUrl: 'http://127.0.0.1:8080',
    command: '',
  }).text
  assert(!page.includes('<script>') && !page.includes('<img'))
  assert(page.includes('&lt;script&gt;'))
})

test('bytes that are no text are shown in hexadecimal', async () => {
  const needs = world()
  const message = { name: 'bytes', method: 'POST', path: '/', headers: [], answered: 204 }
  await receiveWebhook(needs, { ...message, body: Buffer.from([0xff, 0x00, 0x10]) })
  const page = inboxPage({ messages: await showInbox(needs), baseUrl: '', command: '' }).text
  assert.match(page, /ff 00 10/)
})
