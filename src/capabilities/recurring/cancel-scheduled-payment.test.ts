import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelScheduledPaymentContract } from '#capabilities/recurring/cancel-scheduled-payment.contract.ts'
import { cancelScheduledPayment } from '#capabilities/recurring/cancel-scheduled-payment.operation.ts'
import { instalmentId } from '#capabilities/recurring/instalment.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { bankMinor, makeCallerOf } from '../../../test/support/consent-world.ts'
import { advanceTo, instalmentsOf, makePlan, processDue } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

async function cancel(needs: World, caller: Caller, id: number) {
  const result = await cancelScheduledPayment(needs, caller, { instalmentId: instalmentId(BigInt(id)) })
  if (!result.ok) return { refusal: result.refusal.kind, message: '', record: null }
  const { message, members } = cancelScheduledPaymentContract.toWire(result.value)
  return { refusal: null, message, record: members.ScheduledPayment }
}

test('a cancelled payment is never charged, and the others are', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule, consent } = await makePlan(needs, caller, { TotalAmount: 30, StartDate: '2027-01-15' })
  const id = schedule[0]?.SchedID ?? 0
  const { message, record } = await cancel(needs, caller, id)
  assert.equal(message, `Successful Cancel of SchedID ${id} For $10.00 On 1/15/2027`)
  assert.deepEqual([record?.RStatus, record?.OfTotalPayment, record?.OfTotalPayments], ['C', 30, 3])
  assert.equal((await processDue(needs, caller)).members.NumProcessed, 0)
  assert.equal(await bankMinor(needs), 0n)
  assert.deepEqual(
    (await instalmentsOf(needs.db, consent)).map(({ state }) => state),
    ['cancelled', 'scheduled', 'scheduled'],
  )
})

test('what is paid, cancelled or of somebody else cannot be cancelled', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule } = await makePlan(needs, caller)
  const [first, second] = schedule.map(({ SchedID }) => SchedID)
  await processDue(needs, caller)
  assert.equal((await cancel(needs, caller, first ?? 0)).refusal, 'schedule_not_open')
  assert.equal((await cancel(needs, caller, second ?? 0)).refusal, null)
  assert.equal((await cancel(needs, caller, second ?? 0)).refusal, 'schedule_not_open')
  assert.equal((await cancel(needs, await makeCallerOf(needs), second ?? 0)).refusal, 'schedule_not_found')
})

test('cancelled and charged at once, a payment is either or, never both', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  for (let round = 0; round < 10; round += 1) {
    const { schedule, consent } = await makePlan(needs, caller, { NumPayments: 1, TotalAmount: 1 })
    const before = await bankMinor(needs)
    const [cancelled, processed] = await Promise.all([
      cancel(needs, caller, schedule[0]?.SchedID ?? 0),
      processDue(needs, caller),
    ])
    const isCharged = (await bankMinor(needs)) > before
    const [row] = await instalmentsOf(needs.db, consent)
    assert.equal(row?.state, isCharged ? 'paid' : 'cancelled')
    assert.equal(cancelled.refusal === null, !isCharged)
    assert.equal(processed.members.NumApproved, isCharged ? 1 : 0)
  }
})

test('a subscription goes on, also when all payments that were written are cancelled', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const wish = { NumPayments: 0, TotalAmount: 9.99, Period: 'WEEKLY', StartDate: '2027-01-20' } as const
  const { schedule, consent } = await makePlan(needs, caller, wish)
  for (const { SchedID } of schedule) assert.equal((await cancel(needs, caller, SchedID)).refusal, null)
  const left = (await instalmentsOf(needs.db, consent)).filter(({ state }) => state === 'scheduled')
  assert.deepEqual(
    left.map(({ payment_number }) => payment_number),
    Array.from({ length: 12 }, (_, at) => at + 13),
  )
  assert.deepEqual([left[0]?.due_on, left[0]?.amount_minor], ['2027-04-14', 999n])
  advanceTo(needs, '2027-04-14T15:00:00Z')
  assert.equal((await processDue(needs, caller)).members.NumApproved, 1)
  assert.equal((await instalmentsOf(needs.db, consent)).length, 25, 'one is paid and the next is written')
})
