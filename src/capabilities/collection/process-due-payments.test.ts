import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  postedMinor,
  bankMinor,
  impatient,
  makeCaller,
  makeCallerOf,
} from '../../../test/support/consent-world.ts'
import {
  advanceTo,
  instalmentsOf,
  makePlan,
  processDue,
  scheduleEventsOf,
} from '../../../test/support/plan-world.ts'
import { makeAccount, useWorld } from '../../../test/support/session-world.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { processDuePayments } from '#capabilities/collection/process-due-payments.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'

const world = useWorld()

test('a year of 12 monthly payments is charged on its days, and the books agree with the bank', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const plan = await makePlan(needs, caller, { NumPayments: 12, TotalAmount: 1000, StartDate: '2027-01-31' })
  for (const { paymentDate } of plan.schedule) {
    const day = Temporal.PlainDate.from(paymentDate.slice(0, 10))
    advanceTo(needs, `${day.subtract({ days: 1 }).toString()}T17:00:00Z`)
    assert.equal((await processDue(needs, caller)).members.NumProcessed, 0, 'nothing is due the day before')
    advanceTo(needs, `${day.toString()}T17:00:00Z`)
    const { message } = await processDue(needs, caller)
    assert.equal(message, 'Total Processed: 1 Approved: 1 Declined: 0 Partial: 0')
    assert.equal((await processDue(needs, caller)).members.NumProcessed, 0, 'and nothing twice')
  }
  const rows = await instalmentsOf(needs.db, plan.consent)
  assert.ok(rows.every(({ state, tries }) => state === 'paid' && tries === 1))
  assert.deepEqual([await postedMinor(needs.db, caller), await bankMinor(needs)], [100_000n, 100_000n])
  const events = await scheduleEventsOf(needs.db, caller)
  assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(['schedule.paid']))
  assert.equal(events.length, 12)
})

test('what was processed is told with every member of the specification', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const good = await makePlan(needs, caller, { RPGUID: 'G-1' })
  const bad = await makePlan(needs, caller, { card: '4000000000000341' })
  const { members, message } = await processDue(needs, caller)
  assert.equal(message, 'Total Processed: 2 Approved: 1 Declined: 1 Partial: 0')
  const [approved] = members.ApprovedPayments
  const [declined] = members.DeclinedPayments
  assert.ok(approved && declined)
  const { TxID, TxnCodeText, SchedNum, ...rest } = approved
  assert.ok(TxID > 0 && SchedNum > 0)
  assert.match(TxnCodeText, /^[A-Z2-9]{6}$/)
  assert.deepEqual(rest, {
    SchedID: good.schedule[0]?.SchedID,
    SEQ: '0001',
    ConsentID: good.consent,
    ConsentType: 'R',
    MerchID: 1,
    AcctNo: '1111',
    CardHolder: 'Ann Example',
    CardType: 'VI',
    PaymentAmt: 33.33,
    PaymentDate: '2027-01-15T10:00:00.000Z',
    PaymentNum: 1,
    IsPartialApproval: false,
    TxApproved: true,
    TxnCode: /^\d+$/.test(TxnCodeText) ? Number(TxnCodeText) : 0,
    Rest: 0,
    ErrMsg: '',
  })
  assert.deepEqual(
    [declined.SchedID, declined.TxApproved, declined.TxnCode, declined.ErrMsg, declined.SEQ],
    [bad.schedule[0]?.SchedID, false, 5, 'DECLINED: the issuer gives no reason', '0000'],
  )
  assert.deepEqual([declined.TxnCodeText, declined.Rest], ['05', 0])
})

for (const [card, code, text, reason] of [
  ['4000000000009268', 51, '51', 'DECLINED: insufficient funds'],
  ['4000000000000341', 5, '05', 'DECLINED: the issuer gives no reason'],
  ['4000000000009235', 0, 'R0', 'DECLINED: the payer has stopped this payment'],
] as const) {
  test(`a decline with ${text} has the TxnCode ${code} and its text beside it`, async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    await makePlan(needs, caller, { card })
    const [declined] = (await processDue(needs, caller)).members.DeclinedPayments
    assert.deepEqual([declined?.TxnCode, declined?.TxnCodeText, declined?.ErrMsg], [code, text, reason])
  })
}

test('a partial approval counts as approved, and the item names the rest', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs, { allowsPartialApprovals: true })
  const plan = await makePlan(needs, caller, { NumPayments: 1, TotalAmount: 9900.1 })
  const { message, members } = await processDue(needs, caller)
  assert.equal(message, 'Total Processed: 1 Approved: 1 Declined: 0 Partial: 1')
  const [item] = members.ApprovedPayments
  assert.deepEqual(
    [item?.IsPartialApproval, item?.PaymentAmt, item?.Rest, item?.SchedID],
    [true, 4950.05, 4950.05, plan.schedule[0]?.SchedID],
  )
  assert.equal(members.NumPartialAuths, 1)
  assert.equal((await instalmentsOf(needs.db, plan.consent))[0]?.state, 'paid')
})

test('an unknown outcome is in a list of its own and is resolved without a call', async () => {
  const needs = impatient(world())
  needs.bank.faults.add({ verb: 'inquire', times: 1, delivery: { losesAnswer: true } })
  const caller = await makeCallerOf(needs)
  const plan = await makePlan(needs, caller, { NumPayments: 1, TotalAmount: 9900.68 })
  const { message, members } = await processDue(needs, caller)
  assert.equal(message, 'Total Processed: 1 Approved: 0 Declined: 0 Partial: 0')
  const [item] = members.UnknownPayments
  assert.deepEqual(
    [item?.SchedID, item?.PaymentAmt, item?.TxApproved, item?.TxnCode, item?.TxnCodeText, item?.SEQ],
    [plan.schedule[0]?.SchedID, 9900.68, false, 0, '', '0000'],
  )
  assert.equal(item?.ErrMsg, 'Outcome not known yet. Do not charge again.')
  assert.ok(item.TxID > 0)
  assert.deepEqual([members.NumProcessed, members.ApprovedPayments, members.DeclinedPayments], [1, [], []])
  assert.equal((await instalmentsOf(needs.db, plan.consent))[0]?.state, 'charging')
  assert.equal((await processDue(needs, caller)).members.NumProcessed, 0, 'it is not charged again')
  needs.clock.advance({ minutes: 2 })
  await recoverAttempts(needs)
  assert.equal((await instalmentsOf(needs.db, plan.consent))[0]?.state, 'paid')
  assert.equal(await bankMinor(needs), 990_068n)
})

describe('who may run what is due', () => {
  test('a record of another account, of nobody, or not of this token is not found', async () => {
    const needs = world()
    const account = await makeAccount(needs)
    for (const [caller, number] of [
      [await makeCaller(needs, account), 2],
      [await makeCaller(needs, account, { merchant: 2 }), 1],
    ] as const) {
      const result = await processDuePayments(needs, caller, { merchant: merchantNumber(number) })
      assert.equal(result.ok ? '' : result.refusal.kind, 'merchant_not_found')
    }
  })

  test('the day is the one of the record, not of the machine', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    await makePlan(needs, caller, { StartDate: '2027-01-16' })
    // In New York it is still the 15th.
    advanceTo(needs, '2027-01-16T04:59:59Z')
    assert.equal((await processDue(needs, caller)).members.NumProcessed, 0)
    advanceTo(needs, '2027-01-16T05:00:00Z')
    assert.equal((await processDue(needs, caller)).members.NumProcessed, 1)
  })
})
