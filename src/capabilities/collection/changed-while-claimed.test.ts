import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modifyScheduledPaymentContract } from '#capabilities/recurring/modify-scheduled-payment.contract.ts'
import { modifyScheduledPayment } from '#capabilities/recurring/modify-scheduled-payment.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { bankMinor, makeCallerOf, postedMinor } from '../../../test/support/consent-world.ts'
import {
  advanceTo,
  instalmentsOf,
  makePlan,
  processDue,
  processSelected,
} from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

type Change = { readonly PaymentAmount?: number; readonly DueDate?: string }

async function modify(needs: World, caller: Caller, SchedID: number, change: Change): Promise<void> {
  const input = modifyScheduledPaymentContract.fromWire({ SchedID, ...change }, caller)
  assert.ok(input.ok)
  assert.ok((await modifyScheduledPayment(needs, caller, input.value)).ok)
}

// A run that has claimed and prepared a payment, and is about to record its attempt when this happens.
function interrupted(needs: World, happens: () => Promise<unknown>): World {
  const { attempts } = needs.bulk
  const add: typeof attempts.add = async (attempt) => {
    await happens()
    return attempts.add(attempt)
  }
  return { ...needs, bulk: { ...needs.bulk, attempts: { add } } }
}

test('a payment whose amount changes while a run has it is charged by the next run, once', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule, consent } = await makePlan(needs, caller, { NumPayments: 1 })
  const id = schedule[0]?.SchedID ?? 0
  const run = interrupted(needs, () => modify(needs, caller, id, { PaymentAmount: 7.5 }))
  const first = await processDue(run, caller)
  assert.deepEqual([first.members.NumProcessed, first.members.NotChargedSchedIDs], [0, [id]])
  const second = await processDue(needs, caller)
  assert.deepEqual(
    second.members.ApprovedPayments.map(({ PaymentAmt }) => PaymentAmt),
    [7.5],
  )
  assert.equal((await processDue(needs, caller)).members.NumProcessed, 0)
  assert.deepEqual([await bankMinor(needs), await postedMinor(needs.db, caller)], [750n, 750n])
  const [row] = await instalmentsOf(needs.db, consent)
  assert.deepEqual([row?.state, row?.tries], ['paid', 1])
})

test('a payment that is moved to a later day while a run has it is not charged before that day', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule, consent } = await makePlan(needs, caller, { NumPayments: 1 })
  const id = schedule[0]?.SchedID ?? 0
  const run = interrupted(needs, () => modify(needs, caller, id, { DueDate: '2027-02-20' }))
  assert.equal((await processDue(run, caller)).members.NumProcessed, 0)
  advanceTo(needs, '2027-02-19T17:00:00Z')
  assert.equal((await processDue(needs, caller)).members.NumProcessed, 0)
  assert.equal(await bankMinor(needs), 0n)
  advanceTo(needs, '2027-02-20T17:00:00Z')
  assert.equal((await processDue(needs, caller)).members.NumApproved, 1)
  assert.equal((await instalmentsOf(needs.db, consent))[0]?.state, 'paid')
})

test('a payment that is asked for by name is charged on whatever day it is due', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule } = await makePlan(needs, caller, { NumPayments: 1 })
  const id = schedule[0]?.SchedID ?? 0
  const run = interrupted(needs, () => modify(needs, caller, id, { DueDate: '2027-02-20' }))
  assert.equal((await processSelected(run, caller, [id])).members?.NumApproved, 1)
})
