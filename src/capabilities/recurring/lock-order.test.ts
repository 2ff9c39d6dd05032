import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { announceUpcoming } from '#capabilities/collection/announce-upcoming.operation.ts'
import { cancelScheduledPayment } from '#capabilities/recurring/cancel-scheduled-payment.operation.ts'
import { instalmentId } from '#capabilities/recurring/instalment.ts'
import { modifyScheduledPayment } from '#capabilities/recurring/modify-scheduled-payment.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { DiaryEntry } from '#engine/account-clock/due-work.ts'
import { int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { makeCallerOf } from '../../../test/support/consent-world.ts'
import { advanceTo, makePlan, scheduleEventsOf } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

const lockPlanStatement = statement(
  'test_lock_plan_of_consent',
  [int8],
  { plan_id: int8 },
  `select plan_id from plan where consent_id = $1 for update`,
)

// The first transaction is broken off at its end, as the database does with one of two in a deadlock.
function unlucky(needs: World): World {
  let isFirst = true
  const inTransaction: World['db']['inTransaction'] = (work) =>
    needs.db.inTransaction(async (tx) => {
      const result = await work(tx)
      if (!isFirst) return result
      isFirst = false
      throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
    })
  return { ...needs, db: { ...needs.db, inTransaction } }
}

async function announce(needs: World, { accountId }: Caller): Promise<readonly DiaryEntry[]> {
  const diary: DiaryEntry[] = []
  await announceUpcoming(needs, {
    accountId,
    at: needs.accountClock.now(accountId),
    signal: new AbortController().signal,
    tell: async (entries) => void diary.push(...entries),
  })
  return diary
}

test('a payment is announced while somebody holds its plan', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller, { StartDate: '2027-01-20' })
  advanceTo(needs, '2027-01-18T15:00:00Z')
  const told = await needs.db.inTransaction(async (tx) => {
    await tx.run(lockPlanStatement, [BigInt(consent)])
    return announce(needs, caller)
  })
  assert.equal(told.length, 1)
})

describe('broken off for the sake of another transaction and begun anew is', () => {
  test('an announcement, which is told once', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    await makePlan(needs, caller, { StartDate: '2027-01-20' })
    advanceTo(needs, '2027-01-18T15:00:00Z')
    assert.equal((await announce(unlucky(needs), caller)).length, 1)
    assert.equal((await scheduleEventsOf(needs.db, caller)).length, 1)
  })

  test('a change of a payment', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const [payment] = (await makePlan(needs, caller)).schedule
    const dueOn = Temporal.PlainDate.from('2027-03-01')
    const id = instalmentId(BigInt(payment?.SchedID ?? 0))
    const change = { instalmentId: id, amount: null, dueOn, names: { amount: 'amount', dueOn: 'day' } }
    const moved = await modifyScheduledPayment(unlucky(needs), caller, change)
    assert.equal(moved.ok && moved.value.dueOn.toString(), '2027-03-01')
  })

  test('the end of a payment', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const [payment] = (await makePlan(needs, caller)).schedule
    const ended = await cancelScheduledPayment(unlucky(needs), caller, {
      instalmentId: instalmentId(BigInt(payment?.SchedID ?? 0)),
    })
    assert.equal(ended.ok && ended.value.state, 'cancelled')
  })
})
