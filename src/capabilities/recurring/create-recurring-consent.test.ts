import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecurringConsentContract } from '#capabilities/recurring/create-recurring-consent.contract.ts'
import { chargeStoredCard } from '#capabilities/consents/charge-stored-card.operation.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { removeAbandonedPlans } from '#capabilities/recurring/remove-abandoned-plans.operation.ts'
import { int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { callerKey, eventsOf, makeCallerOf } from '../../../test/support/consent-world.ts'
import { createPlan, instalmentsOf, makePlan } from '../../../test/support/plan-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

const countPlansStatement = statement(
  'test_count_plans',
  [int8],
  { count: int8 },
  `select count(*) as count from plan where account_id = $1`,
)

test('a plan of 12 monthly payments of 1000.00 from 31 January is split to the cent', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const wish = { NumPayments: 12, TotalAmount: 1000, StartDate: '2027-01-31' }
  const { schedule } = await makePlan(needs, caller, wish)
  assert.deepEqual(
    schedule.map(({ paymentNo, paymentAmt, paymentDate, Remaining }) => [
      paymentNo,
      paymentAmt,
      paymentDate.slice(0, 10),
      Remaining,
    ]),
    [
      [1, 83.33, '2027-01-31', 916.67],
      [2, 83.33, '2027-02-28', 833.34],
      [3, 83.33, '2027-03-31', 750.01],
      [4, 83.33, '2027-04-30', 666.68],
      [5, 83.33, '2027-05-31', 583.35],
      [6, 83.33, '2027-06-30', 500.02],
      [7, 83.33, '2027-07-31', 416.69],
      [8, 83.33, '2027-08-31', 333.36],
      [9, 83.33, '2027-09-30', 250.03],
      [10, 83.33, '2027-10-31', 166.7],
      [11, 83.33, '2027-11-30', 83.37],
      [12, 83.37, '2027-12-31', 0],
    ],
  )
})

test('the issuer is asked for 0 first, and the answer tells what it said', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const made = await createPlan(needs, caller)
  assert.ok(made.ok)
  const { message, members } = createRecurringConsentContract.toWire(made.value)
  assert.equal(
    message,
    `Success : Created Recurring Consent ID : ${String(members.ConsentID).padStart(6, '0')}`,
  )
  assert.match(members.PreConsentAuthMessage, /^APPROVED \w+$/)
  assert.deepEqual([members.CreationSuccess, members.PreConsentAuthSuccess], [true, true])
  assert.ok(members.PreConsentAuthTxID > 0)
  assert.deepEqual(await eventsOf(needs.db, caller), ['consent.created'])
})

test('a card that the issuer declines leaves no plan behind', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const made = await createPlan(needs, caller, { card: '4000000000000002' })
  assert.ok(made.ok)
  const { message, members } = createRecurringConsentContract.toWire(made.value)
  assert.equal(message, 'DECLINED: the issuer gives no reason')
  assert.deepEqual([members.ConsentID, members.CreationSuccess, members.MySched], [0, false, []])
  const [{ count } = { count: -1n }] = await needs.db.run(countPlansStatement, [caller.accountId])
  assert.equal(count, 0n)
})

test('an account that wants no authorization of 0 gets its plan without one', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs, { verifiesCards: false })
  const made = await createPlan(needs, caller)
  assert.ok(made.ok)
  const { members } = createRecurringConsentContract.toWire(made.value)
  assert.deepEqual([members.CreationSuccess, members.PreConsentAuthTxID], [true, 0])
  assert.equal(members.MySched.length, 3)
})

test('a subscription is written twelve payments ahead, without an end', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  for (const NumPayments of [0, -1]) {
    const { schedule } = await makePlan(needs, caller, { NumPayments, TotalAmount: 9.99, Period: 1 })
    assert.equal(schedule.length, 12)
    assert.ok(schedule.every(({ paymentAmt, Remaining }) => paymentAmt === 9.99 && Remaining === -1))
  }
})

test('the same key makes one plan and is answered the same', async () => {
  const needs = world()
  const caller = { ...(await makeCallerOf(needs)), callerKey: callerKey('once', 'ConsentRecurring/Create') }
  const first = await createPlan(needs, caller)
  const second = await createPlan(needs, caller)
  assert.ok(first.ok)
  assert.equal(second.ok ? '' : second.refusal.kind, 'key_running')
  await removeAbandonedPlans(needs)
  const [{ count } = { count: -1n }] = await needs.db.run(countPlansStatement, [caller.accountId])
  assert.equal(count, 1n)
})

const refused: readonly (readonly [string, object, string])[] = [
  ['a start more than 31 days back', { StartDate: '2026-12-14' }, 'StartDate is more than 31 days back'],
  ['a start that nobody means', { StartDate: '9999-01-01' }, 'StartDate lies more than 100 years ahead'],
  ['a third decimal', { TotalAmount: 10.001 }, 'TotalAmount has more decimals than USD has'],
  ['less than a cent each', { TotalAmount: 0.02 }, 'TotalAmount is too small for so many payments'],
  [
    'more at once than the merchant record takes',
    { TotalAmount: 300_000.03 },
    'TotalAmount makes a payment of more than 100000.00 USD, the most that the merchant record takes at once',
  ],
  [
    'a remainder that makes the last payment more than the merchant record takes',
    { TotalAmount: 300_000.01 },
    'TotalAmount makes a payment of more than 100000.00 USD, the most that the merchant record takes at once',
  ],
]
for (const [sentence, wish, problem] of refused) {
  test(`${sentence} is refused`, async () => {
    const needs = world()
    const made = await createPlan(needs, await makeCallerOf(needs), wish)
    assert.ok(!made.ok)
    assert.deepEqual(
      [made.refusal.kind, made.refusal.details['problem']],
      ['value_out_of_range', `ConsentCreator.${problem}`],
    )
  })
}

test('payments of exactly what the merchant record takes at once are agreed to', async () => {
  const needs = world()
  const { schedule } = await makePlan(needs, await makeCallerOf(needs), { TotalAmount: 300_000 })
  assert.deepEqual(
    schedule.map(({ paymentAmt }) => paymentAmt),
    [100_000, 100_000, 100_000],
  )
})

test('a start 31 days back is taken, and what is due waits for the next run', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller, { StartDate: '2026-12-15' })
  const [first] = await instalmentsOf(needs.db, consent)
  assert.deepEqual(
    [first?.state, first?.due_on, first?.collect_on],
    ['scheduled', '2026-12-15', '2027-01-16'],
  )
})

test('the consent of a plan is charged by its instalments and by nothing else', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller)
  const charged = await chargeStoredCard(needs, caller, {
    consentId: consentId(BigInt(consent)),
    alternate: null,
    amounts: { base: { amount: { units: 1n, scale: 0 }, member: 'Amounts.BaseAmt' }, fee: null, total: null },
    service: '',
    clientRef: '',
    guid: '',
    user: '',
  })
  assert.equal(charged.ok ? '' : charged.refusal.kind, 'consent_not_found')
})

test('a period that is none is refused, and all that there are are named', () => {
  const { request } = createRecurringConsentContract.example
  const known =
    '1 WEEKLY, 2 BI_WEEKLY, 3 TWICE_MONTHLY, 4 MONTHLY, 5 BI_MONTHLY, 6 QUARTERLY, 7 SEMI_ANNUALLY, 8 ANNUALLY'
  for (const Period of [0, 9, 'DAILY', 'Fortnightly', '']) {
    const body = { ...request, ConsentCreator: { ...Object(request).ConsentCreator, Period } }
    const read = createRecurringConsentContract.fromWire(body as never, {} as never)
    assert.deepEqual(read.ok ? [] : [read.refusal.kind, read.refusal.details['problem']], [
      'value_out_of_range',
      `ConsentCreator.Period is none of ${known}`,
    ])
  }
})
