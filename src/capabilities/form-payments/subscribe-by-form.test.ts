import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PayAnswer } from '#capabilities/form-payments/pay-form.operation.ts'
import { formMessages } from '#capabilities/forms/form-message.wire.ts'
import { postPlans } from '#capabilities/forms/post-plans.operation.ts'
import type { QueuedPost } from '#capabilities/webhooks/queue-posts.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { impatient } from '../../../test/support/consent-world.ts'
import { type Guest, look, openForm, press } from '../../../test/support/form-world.ts'
import { cards, findRecords, openShop, stepsOf } from '../../../test/support/order-world.ts'
import { advanceTo, instalmentsOf, processDue } from '../../../test/support/plan-world.ts'
import { makeMerchant, useWorld, type World } from '../../../test/support/session-world.ts'
import { call, openTill, type Till, undo } from '../../../test/support/till.ts'

const world = useWorld()
const PostURL = 'http://127.0.0.1:9/plans'
const agreementStatement = statement(
  'test_agreement_of_consent',
  [int8],
  { agreement: text },
  'select agreement from consent where consent_id = $1',
)
const thrice = { NumPayments: 3, TotalAmount: 100, Period: 'MONTHLY', ServiceDescrip: 'Membership' }

function subscribe(till: Till, changes: object = {}, Subscription: object = thrice): Promise<Guest> {
  const order = { Amounts: {}, PostURL, Subscription, ...changes }
  return openForm(till, order, { eFeatures: '0001', eVisible: '2023', eSubmission: '0808' })
}

async function pressFirst(guest: Guest, typed: Readonly<Record<string, string>> = {}): Promise<PayAnswer> {
  return press(guest, { save: '1', ...typed })
}

async function consentOf(guest: Guest): Promise<number> {
  return Number((await look(guest)).form.consentId ?? 0n)
}

async function planOf(guest: Guest): Promise<readonly string[]> {
  const rows = await instalmentsOf(guest.till.needs.db, await consentOf(guest))
  return rows.map(
    (row) => `${row.payment_number} ${row.due_on} ${row.amount_minor} ${row.state} ${row.tries}`,
  )
}

type Told = Readonly<Record<string, string | number | boolean>>

// What the form's address learns of its plan, as it would be sent.
async function postsOf({ till: { needs, account } }: Guest): Promise<readonly Told[]> {
  const posts: QueuedPost[] = []
  const queuePosts = async (_: unknown, queued: readonly QueuedPost[]) => {
    posts.push(...queued)
  }
  await postPlans({ ...needs, queuePosts })
  return posts
    .filter(({ accountId, url }) => accountId === account.accountId && url === PostURL)
    .flatMap(({ content }) => (content.kind === 'json' ? [JSON.parse(content.text) as Told] : []))
}

describe('a form by which a payer agrees to a plan', () => {
  test('charges the first payment, and the plan goes on by itself', async () => {
    const till = await openTill(world())
    const guest = await subscribe(till)
    assert.deepEqual(await pressFirst(guest), { kind: 'paid' })
    const { attempt, keptCard } = await look(guest)
    assert.deepEqual([attempt?.kind, attempt?.approved.total.minor], ['sale', 3_333n])
    assert(keptCard?.plan)
    assert.deepEqual(await planOf(guest), [
      '1 2027-01-15 3333 paid 1',
      '2 2027-02-15 3333 scheduled 0',
      '3 2027-03-15 3334 scheduled 0',
    ])
    const consent = await consentOf(guest)
    const first = await call(till, 'Query/RecurringSchedule', { Query: `(A=${consent})` })
    const payment = Object(first.members['Schedule']).find(({ RStatus }: Told) => RStatus === 'P')
    assert.equal(payment.TxID, Number(attempt?.attemptId))
    const { members } = await call(till, 'Query/ConsentRecurring', { Query: `(Z=${consent})` })
    const [record] = Object(members['Consents'])
    assert.deepEqual(
      [record.RTotalAmt, record.RNumPayments, record.RPeriod, record.RAmtPaidSoFar, record.CustomerRefID],
      [100, 3, 'MONTHLY', 33.33, 'invoice-1042'],
    )
    assert.equal((await processDue(till.needs, till.caller)).members.NumProcessed, 0, 'nothing is due')
  })

  test('posts the plan and every payment of it, each once', async () => {
    const till = await openTill(world())
    const guest = await subscribe(till)
    await pressFirst(guest)
    const { attempt } = await look(guest)
    const shared = {
      ConsentID: await consentOf(guest),
      TransactionID: Number(attempt?.attemptId),
      CardNumber: '1111',
      CardType: 'Visa',
      ExpireDate: '12/30',
      CardholderFirstName: 'Ada',
      CardholderLastName: 'Miller',
      CustomerFirstName: 'Ada',
      CustomerLastName: 'Miller',
      ServiceDescrip: 'Membership',
      REFID: 'invoice-1042',
      RPGUID: 'visit-7',
      MerchID: 1,
      Currency: 'USD',
      OccurredAt: '2027-01-15T10:00:00.000Z',
      Sandbox: true,
    }
    const [created, paid, ...more] = await postsOf(guest)
    const agreed = { StartDate: '2027-01-15', NumPayments: 3, TotalAmount: 100, Period: 'MONTHLY' }
    assert.deepEqual(created, { ...shared, Event: 'SUBSCRIP_CREATE', ...agreed })
    const { SchedID, ...rest } = paid ?? {}
    assert.equal(typeof SchedID, 'number')
    const sums = { Amount: 33.33, Surcharge: 0, TotalAmt: 33.33, ApprovalCode: attempt?.approvalCode }
    assert.deepEqual(rest, { ...shared, Event: 'SUBSCRIP_PAYMENT', PaymentNo: 1, ...sums })
    assert.deepEqual(more, [])
    assert.deepEqual(await postsOf(guest), [], 'each once')
  })

  test('names MasterCard in the posts of the plan as in the post of its form', async () => {
    const till = await openTill(world())
    const guest = await subscribe(till)
    await pressFirst(guest, { number: '5555555555554444' })
    const { form, attempt } = await look(guest)
    assert(attempt)
    const posted = formMessages.json({ form, attempt, order: null, isSandbox: true })
    assert.equal((JSON.parse(posted) as Told)['CardType'], 'MasterCard')
    assert.deepEqual(
      (await postsOf(guest)).map(({ CardType }) => CardType),
      ['MasterCard', 'MasterCard'],
    )
  })

  test('with a later first day asks the issuer only, and runs charge it from then on', async () => {
    const needs = { ...world() }
    const till = await openTill(needs)
    const guest = await subscribe(till, {}, { ...thrice, StartDate: '2027-01-20' })
    assert.deepEqual(await pressFirst(guest), { kind: 'paid' })
    const { attempt } = await look(guest)
    assert.deepEqual([attempt?.kind, attempt?.amounts.total.minor], ['verify', 0n])
    const days = ['1 2027-01-20 3333', '2 2027-02-20 3333', '3 2027-03-20 3334']
    assert.deepEqual(
      await planOf(guest),
      days.map((day) => `${day} scheduled 0`),
    )
    assert.deepEqual(
      (await postsOf(guest)).map(({ Event }) => Event),
      ['SUBSCRIP_CREATE'],
    )
    advanceTo(needs, '2027-01-20T17:00:00Z')
    const run = await processDue(needs, till.caller)
    assert.equal(run.members.NumApproved, 1)
    const [paid, ...more] = await postsOf(guest)
    assert.deepEqual(
      [paid?.['Event'], paid?.['PaymentNo'], paid?.['TotalAmt'], more.length],
      ['SUBSCRIP_PAYMENT', 1, 33.33, 0],
    )
  })

  test('without an end writes payments ahead, and can be cancelled and changed like any other', async () => {
    const till = await openTill(world())
    const guest = await subscribe(till, {}, { NumPayments: -1, TotalAmount: 20, Period: 4 })
    await pressFirst(guest)
    assert.equal((await planOf(guest)).length, 12)
    const ConsentID = await consentOf(guest)
    const modified = await call(till, 'ConsentRecurring/Modify', {
      ConsentID,
      ConsentMods: { Email: 'new@example.com', PaymentAmt: 25 },
    })
    assert.equal(modified.code, 0, modified.text)
    assert.equal((await planOf(guest)).at(1), '2 2027-02-15 2500 scheduled 0')
    const cancelled = await call(till, 'ConsentRecurring/Cancel', { ConsentID })
    assert.equal(cancelled.code, 0, cancelled.text)
    assert.equal((await planOf(guest)).at(-1)?.includes('cancelled'), true)
    assert.equal((await look(guest)).keptCard, null)
  })

  test('that is declined leaves nothing of a plan, and another card makes it', async () => {
    const till = await openTill(world())
    const guest = await subscribe(till)
    const declined = await pressFirst(guest, { number: '4000000000000002' })
    assert.deepEqual(declined, { kind: 'declined', family: 'declined' })
    assert.equal(await consentOf(guest), 0)
    assert.deepEqual(await postsOf(guest), [])
    assert.equal((await call(till, 'Query/ConsentRecurring', { Query: '(A=1)' })).members['NumRecords'], 0)
    assert.deepEqual(await pressFirst(guest), { kind: 'paid' })
    assert.equal((await planOf(guest)).length, 3)
  })

  test('charges nothing before the payer has agreed to what the page says', async () => {
    const guest = await subscribe(await openTill(world()))
    const unticked = await press(guest)
    assert(unticked.kind === 'problems')
    assert.deepEqual([...unticked.problems], [['save', 'save_missing']])
    assert.equal((await pressFirst(guest, { words: 'others' })).kind, 'stale')
    assert.deepEqual((await look(guest)).form.tries, 0)
  })

  test('carries no fee, whatever the record charges otherwise', async () => {
    const till = await openTill(world())
    await makeMerchant(till.needs, till.account, { feeKind: 'surcharge', feeBasisPoints: 300, region: 'TX' })
    const guest = await subscribe(till, { MerchID: 2 })
    assert.deepEqual(await pressFirst(guest, { number: '4242424242424242' }), { kind: 'paid' })
    assert.equal((await look(guest)).attempt?.approved.total.minor, 3_333n)
  })

  test('whose first payment is voided has collected nothing of it', async () => {
    const till = await openTill(world())
    const guest = await subscribe(till)
    await pressFirst(guest)
    const { attempt } = await look(guest)
    assert.equal((await undo(till, Number(attempt?.attemptId))).code, 0)
    const { members } = await call(till, 'Query/ConsentRecurring', { Query: `(Z=${await consentOf(guest)})` })
    assert.equal(Object(members['Consents'])[0].RAmtPaidSoFar, 0)
  })
})

// The bank approves, its answer is lost, and then it stands or was taken back by the bank itself.
for (const isMade of [true, false])
  test(`a plan whose first charge is open exists ${isMade ? 'once it is known' : 'never'}`, async () => {
    const needs: World = impatient(world())
    const till = await openTill(needs)
    const wish = { NumPayments: -1, TotalAmount: 9_900.98, Period: 'WEEKLY' }
    const guest = await subscribe(till, {}, wish)
    assert.deepEqual(await pressFirst(guest), { kind: 'pending' })
    assert.deepEqual([await consentOf(guest), await postsOf(guest)], [0, []], 'not before it is known')
    const { attempt } = await look(guest)
    assert(attempt)
    if (!isMade) await needs.acquirer.reverse(attempt.ref, AbortSignal.timeout(5_000))
    needs.clock.advance({ minutes: 3 })
    await recoverAttempts(needs)
    assert.equal((await look(guest)).standing, isMade ? 'paid' : 'open')
    assert.equal((await planOf(guest)).length, isMade ? 12 : 0)
    const events = (await postsOf(guest)).map(({ Event }) => Event)
    assert.deepEqual(events, isMade ? ['SUBSCRIP_CREATE', 'SUBSCRIP_PAYMENT'] : [])
  })

test('a payer of an international record agrees to a plan, and each payment is an order', async () => {
  const till = await openShop(world())
  const guest = await subscribe(till, { MerchID: 2, WTYPE: 'PA' })
  assert.deepEqual(await pressFirst(guest, { number: '4000000000003055' }), { kind: 'paid' })
  const { form } = await look(guest)
  const steps = await stepsOf(till, form.orderRef ?? '')
  assert.deepEqual(steps.at(-1), 'SALE SUCCESS/SETTLED 33.33')
  const [last] = (await findRecords(till, `(F='${form.orderRef}')`)).slice(-1)
  assert.equal(last?.['Recurring_Token'], '', 'only the plan charges its card')
  assert.deepEqual((await planOf(guest)).at(0), '1 2027-01-15 3333 paid 1')
  const [created] = await postsOf(guest)
  assert.deepEqual([created?.['TransID'], created?.['Currency']], [form.orderRef, 'EUR'])
})

test('a payer who comes back from the bank after midnight has the days of the agreement', async () => {
  const needs = { ...world() }
  const till = await openShop(needs)
  advanceTo(needs, '2027-01-16T04:58:00Z')
  const guest = await subscribe(till, { MerchID: 2, WTYPE: 'PA' })
  const asked = await pressFirst(guest, { number: cards.challenged })
  assert(asked.kind === 'challenge')
  advanceTo(needs, '2027-01-16T05:02:00Z')
  const challengeId = asked.challenge.address.split('/').at(-1) ?? ''
  const { code = '' } = (await needs.payerBank.find(challengeId)) ?? {}
  await needs.payerBank.answer(challengeId, { kind: 'code', digits: code })
  assert.deepEqual(await press(guest, { challenge: asked.challenge.sealed }), { kind: 'paid' })
  assert.deepEqual(await planOf(guest), [
    '1 2027-01-15 3333 paid 1',
    '2 2027-02-15 3333 scheduled 0',
    '3 2027-03-15 3334 scheduled 0',
  ])
  const consent = await consentOf(guest)
  const [stored] = await needs.db.run(agreementStatement, [BigInt(consent)])
  assert.match(stored?.agreement ?? '', /the last on Mar 15, 2027/)
})
