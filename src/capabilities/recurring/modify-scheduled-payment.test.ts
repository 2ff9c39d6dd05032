import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { modifyScheduledPaymentContract } from '#capabilities/recurring/modify-scheduled-payment.contract.ts'
import { modifyScheduledPayment } from '#capabilities/recurring/modify-scheduled-payment.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { readableDates } from '#kernel/calendar.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { makeCallerOf } from '../../../test/support/consent-world.ts'
import {
  advanceTo,
  instalmentsOf,
  makePlan,
  processDue,
  processSelected,
} from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

type Change = { readonly PaymentAmount?: number; readonly DueDate?: string }

async function modify(needs: World, caller: Caller, SchedID: number, change: Change) {
  const input = modifyScheduledPaymentContract.fromWire({ SchedID, ...change }, caller)
  const result = input.ok ? await modifyScheduledPayment(needs, caller, input.value) : input
  if (!result.ok) return { refusal: result.refusal, message: '', record: null }
  const { message, members } = modifyScheduledPaymentContract.toWire(result.value)
  return { refusal: null, message, record: members.ScheduledPayment }
}

test('a payment is moved, and its record tells every member', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule, consent } = await makePlan(needs, caller, { RPGUID: 'G-9' })
  const id = schedule[1]?.SchedID ?? 0
  const { message, record } = await modify(needs, caller, id, { PaymentAmount: 10, DueDate: '7/10/2027' })
  assert.equal(message, `Successful Reschedule of SchedID ${id} For $10.00 On 7/10/2027`)
  assert.ok(record)
  const { SchedNum, ...rest } = record
  assert.ok(SchedNum > 0)
  assert.deepEqual(rest, {
    ID: id,
    AcctHolderID: consent,
    AcctNo: 1111,
    ConsentID: consent,
    ConsentType: 'R',
    MerchID: 1,
    LastName: 'Example',
    DueOn: '2027-07-10T00:00:00.000Z',
    PaymentAmt: 10,
    PaymentNum: 2,
    // 33.33, 10.00 and 33.34.
    OfTotalPayment: 76.67,
    OfTotalPayments: 3,
    Period: 'MONTHLY',
    RPGUID: 'G-9',
    RStatus: 'S',
    Tries: 0,
    TxID: -1,
  })
})

test('a new amount alone leaves the days of a retry as they are, and is what is charged', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule, consent } = await makePlan(needs, caller, { card: '4000000000009268', NumPayments: 1 })
  await processDue(needs, caller)
  const { record } = await modify(needs, caller, schedule[0]?.SchedID ?? 0, { PaymentAmount: 7.5 })
  assert.deepEqual([record?.RStatus, record?.Tries, record?.PaymentAmt], ['S', 1, 7.5])
  assert.equal((await instalmentsOf(needs.db, consent))[0]?.attempt_on, '2027-01-16')
})

test('one whose retries are used up is scheduled again', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule, consent } = await makePlan(needs, caller, { NumPayments: 1, card: '4000000000000341' })
  for (const day of ['15', '16', '18', '20', '22']) {
    advanceTo(needs, `2027-01-${day}T15:00:00Z`)
    await processDue(needs, caller)
  }
  const { record } = await modify(needs, caller, schedule[0]?.SchedID ?? 0, { DueDate: '2027/02/01' })
  assert.deepEqual([record?.RStatus, record?.Tries, record?.DueOn], ['S', 5, '2027-02-01T00:00:00.000Z'])
  const [row] = await instalmentsOf(needs.db, consent)
  assert.deepEqual([row?.attempt_on, row?.because], ['2027-02-01', 'Moved by a call: 100.00 on 2027-02-01'])
})

test('one whose retries are used up is due today when only its amount is changed', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule, consent } = await makePlan(needs, caller, { NumPayments: 1, card: '4000000000000341' })
  for (const day of ['15', '16', '18', '20', '22']) {
    advanceTo(needs, `2027-01-${day}T15:00:00Z`)
    await processDue(needs, caller)
  }
  const { message, record } = await modify(needs, caller, schedule[0]?.SchedID ?? 0, { PaymentAmount: 5 })
  assert.match(message, /For \$5\.00 On 1\/22\/2027$/)
  assert.deepEqual([record?.RStatus, record?.DueOn], ['S', '2027-01-22T00:00:00.000Z'])
  assert.equal((await instalmentsOf(needs.db, consent))[0]?.attempt_on, '2027-01-22')
})

test('one that was tried too often ahead of its day keeps it when only its amount is changed', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const wish = { NumPayments: 1, StartDate: '2027-03-01', card: '4000000000000341' }
  const { schedule, consent } = await makePlan(needs, caller, wish)
  const id = schedule[0]?.SchedID ?? 0
  for (let tries = 0; tries < 5; tries += 1) await processSelected(needs, caller, [id])
  const { message, record } = await modify(needs, caller, id, { PaymentAmount: 5 })
  assert.match(message, /For \$5\.00 On 3\/1\/2027$/)
  assert.deepEqual([record?.RStatus, record?.DueOn], ['S', '2027-03-01T00:00:00.000Z'])
  assert.equal((await instalmentsOf(needs.db, consent))[0]?.attempt_on, '2027-03-01')
})

describe('a change is refused', () => {
  const cases: readonly (readonly [string, Change, string])[] = [
    ['into the past', { DueDate: '2027-01-14' }, 'DueDate 2027-01-14 is in the past'],
    ['to nothing', { PaymentAmount: 0 }, 'PaymentAmount must be more than 0'],
    ['to a third decimal', { PaymentAmount: 1.001 }, 'PaymentAmount has more decimals than USD has'],
    ['to no date', { DueDate: 'soon' }, `DueDate is not a date that can be read, ${readableDates}`],
    ['to a day that nobody means', { DueDate: '9999-12-31' }, 'DueDate lies more than 100 years ahead'],
    [
      'to more than the merchant record takes at once',
      { PaymentAmount: 100_000.01 },
      'PaymentAmount makes a payment of more than 100000.00 USD, the most that the merchant record takes at once',
    ],
    ['of nothing', {}, 'PaymentAmount or DueDate is missing'],
  ]
  for (const [sentence, change, problem] of cases) {
    test(sentence, async () => {
      const needs = world()
      const caller = await makeCallerOf(needs)
      const { schedule } = await makePlan(needs, caller)
      const { refusal } = await modify(needs, caller, schedule[1]?.SchedID ?? 0, change)
      assert.deepEqual(
        [refusal?.kind, refusal?.details['problem']],
        [problem.endsWith('missing') ? 'missing_member' : 'value_out_of_range', problem],
      )
    })
  }

  test('of what has become more than the merchant record takes at once, until it costs less', async () => {
    const needs = world()
    const till = await openTill(needs)
    const { schedule } = await makePlan(needs, till.caller)
    const id = schedule[1]?.SchedID ?? 0
    const lower = { limitPerChargeMinor: 2_000n }
    const wish = { account: till.account.accountId, merchant: merchantNumber(1), changes: lower }
    assert((await changeMerchant(needs, wish)).ok)
    const most = 'makes a payment of more than 20.00 USD, the most that the merchant record takes at once'
    for (const [change, what] of [
      [{ PaymentAmount: 33.33 }, 'PaymentAmount'],
      [{ PaymentAmount: 20.01 }, 'PaymentAmount'],
      [{ DueDate: '2027-03-01' }, 'PaymentAmount, which stays as it is,'],
    ] as const) {
      const { refusal } = await modify(needs, till.caller, id, change)
      assert.equal(refusal?.details['problem'], `${what} ${most}`)
    }
    const { record } = await modify(needs, till.caller, id, { PaymentAmount: 20, DueDate: '2027-03-01' })
    assert.equal(record?.PaymentAmt, 20)
  })

  test('of what is paid, or of somebody else', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const { schedule } = await makePlan(needs, caller)
    await processDue(needs, caller)
    const id = schedule[0]?.SchedID ?? 0
    assert.equal((await modify(needs, caller, id, { PaymentAmount: 1 })).refusal?.kind, 'schedule_not_open')
    const stranger = await makeCallerOf(needs)
    assert.equal(
      (await modify(needs, stranger, id, { PaymentAmount: 1 })).refusal?.kind,
      'schedule_not_found',
    )
  })
})
