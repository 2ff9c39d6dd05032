import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postForms } from '#capabilities/forms/post-forms.operation.ts'
import type { QueuedPost } from '#capabilities/webhooks/queue-posts.operation.ts'
import { goodCard, look, openForm, press } from '../../../test/support/form-world.ts'
import { messagesOf, passingStates, refusingMessages } from '../../../test/support/message-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

function recording(needs: World): { readonly needs: World; readonly posts: QueuedPost[] } {
  const posts: QueuedPost[] = []
  const queuePosts = async (_: unknown, queued: readonly QueuedPost[]) => {
    posts.push(...queued)
  }
  return { needs: { ...needs, queuePosts }, posts }
}

test("the merchant's system is told once, in the family's names", async () => {
  const till = await openTill(world())
  const { needs, posts } = recording(till.needs)
  const options = { eSubmission: '0E08' }
  const guest = await openForm({ ...till, needs }, { PostURL: 'http://127.0.0.1:9/paid' }, options)
  await press(guest, { save: '1' })
  await postForms(needs, null)
  assert.equal(posts.length, 1)
  const [post] = posts
  assert(post?.content.kind === 'json')
  const { attempt, form } = await look(guest)
  assert.deepEqual(JSON.parse(post.content.text), {
    ConsentID: Number(form.consentId),
    TransactionID: Number(attempt?.attemptId),
    CardNumber: '1111',
    CardType: 'Visa',
    ExpireDate: '12/30',
    Amount: 125,
    Surcharge: 0,
    CardholderFirstName: 'Ada',
    CardholderLastName: 'Miller',
    CustomerFirstName: 'Ada',
    CustomerLastName: 'Miller',
    Email: 'ada@example.com',
    REFID: 'invoice-1042',
    RPGUID: 'visit-7',
    ApprovalCode: attempt?.approvalCode,
    MerchID: 1,
    Currency: 'USD',
    TotalAmt: 125,
    OccurredAt: '2027-01-15T10:00:00.000Z',
    Sandbox: true,
  })
  assert.deepEqual([post.key, post.url], [`form_${form.formId}`, 'http://127.0.0.1:9/paid'])
})

async function hangUp(): Promise<never> {
  throw new Error('the database hung up')
}

test('what could not be queued at payment is queued later; nothing is told of a decline', async () => {
  const till = await openTill(world())
  const silent = { eSubmission: '0218' }
  const guest = await openForm(
    { ...till, needs: { ...till.needs, queuePosts: hangUp } },
    { PostURL: 'http://127.0.0.1:9/paid?shop=1' },
    silent,
  )
  const { needs, posts } = recording(till.needs)
  await press(guest, { number: '4000000000000002' })
  await postForms(needs, null)
  assert.deepEqual(posts, [])
  await press(guest, goodCard)
  await postForms(needs, null)
  await postForms(needs, null)
  const { attempt } = await look(guest)
  assert.deepEqual(
    posts.map(({ content }) => content),
    [{ kind: 'query', members: { txid: String(attempt?.attemptId), cid: '0' } }],
  )
})

test('a form that cannot be told keeps no other from being told', async () => {
  const till = await openTill(world())
  const silent = { eSubmission: '0218' }
  for (const shop of ['odd', 'sound']) {
    const unable = { ...till, needs: { ...till.needs, queuePosts: hangUp } }
    const guest = await openForm(unable, { PostURL: `http://127.0.0.1:9/${shop}` }, silent)
    await press(guest)
  }
  const told: string[] = []
  const queuePosts = async (_: unknown, [post]: readonly QueuedPost[]) => {
    if (post?.url.endsWith('/odd')) throw new Error('odd')
    told.push(String(post?.url))
  }
  await postForms({ ...till.needs, queuePosts }, null)
  assert.deepEqual(told, ['http://127.0.0.1:9/sound'])
})

test('a receipt that cannot be queued does not keep the merchant from being told', async () => {
  const till = await openTill(world())
  const unable = { ...till, needs: { ...till.needs, queuePosts: hangUp } }
  const address = { PostURL: 'http://127.0.0.1:9/paid' }
  const guest = await openForm(unable, address, { eSubmission: '0218' })
  await press(guest, { email: 'zoe@example.com' })
  const { needs, posts } = recording(till.needs)
  // No database knows such a time.
  const accountClock = { ...needs.accountClock, now: () => Temporal.Instant.fromEpochMilliseconds(-8.64e15) }
  const { formId } = (await look(guest)).form
  await postForms({ ...needs, accountClock }, formId)
  await postForms(needs, formId)
  assert.deepEqual([posts.length, await messagesOf(till)], [1, []])
})

test('a payer who wants the receipt by mail gets it once, and one who does not gets none', async () => {
  const till = await openTill(world())
  const guest = await openForm(till, {}, { eVisible: 'E0E0' })
  await press(guest, { email: 'zoe@example.com', mail: '1' })
  await postForms(till.needs, null)
  await postForms(till.needs, null)
  await press(await openForm(till, {}, { eVisible: 'E0E0' }))
  await postForms(till.needs, null)
  const messages = await messagesOf(till)
  assert.deepEqual(
    messages.map(({ recipient, purpose, subject }) => [recipient, purpose, subject]),
    [['zoe@example.com', 'receipt', 'Your receipt from Corner Books']],
  )
  assert.match(messages[0]?.text ?? '', /Sale approved: \$125\.00/)
})

for (const state of passingStates)
  test(`a receipt that the database refuses with ${state} is mailed later, once`, async () => {
    const till = await openTill(world())
    const { needs, heal } = refusingMessages(till.needs, state)
    const guest = await openForm({ ...till, needs }, {}, { eVisible: 'E0E0' })
    assert.deepEqual(await press(guest, { email: 'zoe@example.com', mail: '1' }), { kind: 'paid' })
    assert.deepEqual(await messagesOf(till), [])
    heal()
    await postForms(needs, null)
    await postForms(needs, null)
    assert.deepEqual(
      (await messagesOf(till)).map(({ recipient }) => recipient),
      ['zoe@example.com'],
    )
  })
