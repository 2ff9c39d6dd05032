import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelScheduledPayment } from '#capabilities/recurring/cancel-scheduled-payment.operation.ts'
import { instalmentId } from '#capabilities/recurring/instalment.ts'
import { modifyScheduledPayment } from '#capabilities/recurring/modify-scheduled-payment.operation.ts'
import { queryAnnualConsents } from '#capabilities/search/query-annual-consents.operation.ts'
import { queryRecurringConsentsContract } from '#capabilities/search/query-recurring-consents.contract.ts'
import { queryRecurringConsents } from '#capabilities/search/query-recurring-consents.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { serve } from '#capabilities/wire/contract.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { makeCallerOf, makeConsent } from '../../../test/support/consent-world.ts'
import {
  advanceTo,
  createPlan,
  makePlan,
  processDue,
  processSelected,
} from '../../../test/support/plan-world.ts'
import { firstPage } from '../../../test/support/searching.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()
const query = serve(queryRecurringConsentsContract, queryRecurringConsents)

type Listed = ReturnType<typeof queryRecurringConsentsContract.toWire>['members']['Consents']

async function find(needs: World, caller: Caller, Query: string): Promise<Listed> {
  const answer = await query.answer(needs, caller, { Query })
  assert(answer.ok, answer.ok ? '' : JSON.stringify(answer.refusal))
  return (answer.reply.members as { Consents: Listed }).Consents
}

test('a plan is found with what was agreed and what was paid', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller, { CustomerRefID: 'C-1', RPGUID: 'plan-1' })
  await processDue(needs, caller)
  const [record = assert.fail('there is one')] = await find(needs, caller, "(F='C-1')&&(J='plan-1')")
  assert.deepEqual(
    [record.ID, record.MerchID, record.AcctNo, record.IsEnabled, record.CustomerRefID, record.RPGUID],
    [consent, 1, '1111', true, 'C-1', 'plan-1'],
  )
  const { RTotalAmt, RNumPayments, RPaymentAmt, RLastPaymentAmt, RPeriod, RAmtPaidSoFar } = record
  assert.deepEqual(
    { RTotalAmt, RNumPayments, RPaymentAmt, RLastPaymentAmt, RPeriod, RAmtPaidSoFar },
    {
      RTotalAmt: 100,
      RNumPayments: 3,
      RPaymentAmt: 33.33,
      RLastPaymentAmt: 33.34,
      RPeriod: 'MONTHLY',
      RAmtPaidSoFar: 33.33,
    },
  )
})

test('a plan begins on its first day and ends on that of its last payment', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  await makePlan(needs, caller, { StartDate: '2027-01-31', NumPayments: 12, TotalAmount: 1_000 })
  const day = "(B='2027-01-31')&&(C='2027-12-31')"
  const [record] = await find(needs, caller, day)
  assert.deepEqual(
    [record?.StartDate, record?.EndDate],
    ['2027-01-31T00:00:00.000Z', '2027-12-31T00:00:00.000Z'],
  )
})

test('a subscription has no total and no number of payments', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  await makePlan(needs, caller, { NumPayments: 0, TotalAmount: 10 })
  const [record] = await find(needs, caller, '(G=4)')
  assert.deepEqual([record?.RTotalAmt, record?.RNumPayments, record?.RPaymentAmt], [-1, -1, 10])
  assert.deepEqual(await find(needs, caller, '(G=3)'), [])
})

test('annual and recurring consents are found apart, and a declined card never became one', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const annual = await makeConsent(needs, caller)
  const { consent } = await makePlan(needs, caller)
  await createPlan(needs, caller, { card: '4000000000000002' })
  const recurring = await find(needs, caller, '(A=1)')
  assert.deepEqual(
    recurring.map(({ ID }) => ID),
    [consent],
  )
  const annuals = await queryAnnualConsents(needs, caller, firstPage('(A=1)'))
  assert(annuals.ok)
  assert.deepEqual(
    annuals.value.records.map(({ consentId }) => consentId),
    [annual],
  )
})

test('nothing of another account or another merchant record is found', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller)
  const strangers = [await makeCallerOf(needs), { ...caller, merchantNumber: merchantNumber(2) }]
  for (const stranger of strangers) {
    for (const text of [`(Z=${consent})`, '(A>0)', '(G=-1)||(Z>0)']) {
      assert.deepEqual(await find(needs, stranger, text), [], text)
    }
  }
})

test('a plan that the network has stopped is not enabled any more', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller, { card: '4000000000009235' })
  const [before] = await find(needs, caller, "(H='True')")
  assert.deepEqual([before?.ID, before?.IsEnabled], [consent, true])
  await processDue(needs, caller)
  const [after] = await find(needs, caller, "(H='False')")
  assert.deepEqual([after?.ID, after?.IsEnabled], [consent, false])
})

async function enabled(needs: World, caller: Caller): Promise<readonly unknown[]> {
  const [yes, no] = [await find(needs, caller, "(H='True')"), await find(needs, caller, "(H='False')")]
  return [...yes, ...no].map(({ IsEnabled }, at) => [at < yes.length, IsEnabled])
}
const isEnabled = [[true, true]]
const isOver = [[false, false]]

test('a plan is enabled until its last payment is paid', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule } = await makePlan(needs, caller)
  const [first = 0, ...others] = schedule.map(({ SchedID }) => SchedID)
  await processSelected(needs, caller, [first])
  assert.deepEqual(await enabled(needs, caller), isEnabled)
  await processSelected(needs, caller, others)
  assert.deepEqual(await enabled(needs, caller), isOver)
})

test('a plan whose rest was cancelled payment by payment is not enabled', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule } = await makePlan(needs, caller)
  await processDue(needs, caller)
  for (const { SchedID } of schedule.slice(1)) {
    assert.deepEqual(await enabled(needs, caller), isEnabled)
    await cancelScheduledPayment(needs, caller, { instalmentId: instalmentId(BigInt(SchedID)) })
  }
  assert.deepEqual(await enabled(needs, caller), isOver)
})

test('a subscription goes on when its payments are cancelled one by one', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule } = await makePlan(needs, caller, { NumPayments: 0, TotalAmount: 10 })
  for (const { SchedID } of schedule)
    await cancelScheduledPayment(needs, caller, { instalmentId: instalmentId(BigInt(SchedID)) })
  assert.deepEqual(await enabled(needs, caller), isEnabled)
})

test('a payment that failed keeps no plan enabled, until somebody schedules it again', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule } = await makePlan(needs, caller, { NumPayments: 1, card: '4000000000000341' })
  for (const day of ['15', '16', '18', '20', '22']) {
    advanceTo(needs, `2027-01-${day}T12:00:00Z`)
    assert.deepEqual(await enabled(needs, caller), isEnabled, `its retries are not used up on ${day}`)
    await processDue(needs, caller)
  }
  assert.deepEqual(await enabled(needs, caller), isOver)
  const change = { instalmentId: instalmentId(BigInt(schedule[0]?.SchedID ?? 0)), amount: null }
  const dueOn = Temporal.PlainDate.from('2027-02-01')
  assert(
    (
      await modifyScheduledPayment(needs, caller, {
        ...change,
        dueOn,
        names: { amount: 'amount', dueOn: 'day' },
      })
    ).ok,
  )
  assert.deepEqual(await enabled(needs, caller), isEnabled)
})
