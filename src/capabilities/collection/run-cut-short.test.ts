import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { Hold } from '#engine/restore-guard/sending.ts'
import { bankMinor, makeCallerOf } from '../../../test/support/consent-world.ts'
import { instalmentsOf, makePlan, processDue, processSelected } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

const paused: Hold = { kind: 'paused', because: 'an operator has to confirm' }

async function makeDue(needs: World, caller: Caller) {
  const { schedule, consent } = await makePlan(needs, caller, { NumPayments: 1, TotalAmount: 10 })
  return { id: schedule[0]?.SchedID ?? 0, consent }
}

describe('while nothing may be sent', () => {
  test('a run takes no payment, and none counts a try', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const { consent } = await makeDue(needs, caller)
    const held = { ...needs, sending: { hold: paused } }
    assert.equal((await processDue(held, caller)).members.NumProcessed, 0)
    const [row] = await instalmentsOf(needs.db, consent)
    assert.deepEqual([row?.state, row?.tries], ['scheduled', 0])
    assert.equal((await processDue(needs, caller)).members.NumApproved, 1)
  })

  test('those that were asked for are named as not charged', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const { id } = await makeDue(needs, caller)
    const { members } = await processSelected({ ...needs, sending: { hold: paused } }, caller, [id])
    assert.deepEqual([members?.NotChargedSchedIDs, members?.RunState], [[id], 'CUT_SHORT'])
  })

  test('what was claimed before is given back', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const { id, consent } = await makeDue(needs, caller)
    // Held from the moment at which the run reads the consents of what it has claimed.
    const sending: { hold: Hold | null } = { hold: null }
    const db: World['db'] = {
      ...needs.db,
      run: async (asked, values) => {
        const rows = await needs.db.run(asked, values)
        if (asked.name === 'claim_due_instalments') sending.hold = paused
        return rows
      },
    }
    const { members } = await processDue({ ...needs, db, sending }, caller)
    assert.deepEqual([members.NotChargedSchedIDs, members.RunState], [[id], 'CUT_SHORT'])
    assert.equal((await instalmentsOf(needs.db, consent))[0]?.tries, 0)
    assert.equal((await processDue(needs, caller)).members.NumApproved, 1)
    assert.equal(await bankMinor(needs), 1000n)
  })
})

test('a selection that breaks off tells what was charged, and names the rest as not charged', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs, { verifiesCards: false })
  const wish = { NumPayments: 130, TotalAmount: 1300, StartDate: '2028-01-01' }
  const { schedule, consent } = await makePlan(needs, caller, wish)
  const ids = schedule.map(({ SchedID }) => SchedID)
  let claims = 0
  const db: World['db'] = {
    ...needs.db,
    run: (asked, values) => {
      const isClaim = asked.name === 'claim_named_instalments'
      if (isClaim) claims += 1
      const isBroken = isClaim && claims > 1
      return isBroken ? Promise.reject(new Error('The database is gone')) : needs.db.run(asked, values)
    },
  }
  const { message, members } = await processSelected({ ...needs, db }, caller, ids)
  assert.equal(members?.NumApproved, 128)
  assert.equal(message, 'Total Processed: 128 Approved: 128 Declined: 0 Partial: 0')
  assert.deepEqual([members?.NotChargedSchedIDs, members?.RunState], [ids.slice(128), 'CUT_SHORT'])
  const rows = await instalmentsOf(needs.db, consent)
  assert.deepEqual(
    rows.slice(127).map(({ state }) => state),
    ['paid', 'scheduled', 'scheduled'],
  )
})

test('a run that breaks before anything was charged is an error, and holds no payment back', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { id } = await makeDue(needs, caller)
  const db: World['db'] = {
    ...needs.db,
    run: (asked, values) =>
      asked.name === 'list_consents' ? Promise.reject(new Error('Too slow')) : needs.db.run(asked, values),
  }
  await assert.rejects(processSelected({ ...needs, db }, caller, [id]), { message: 'Too slow' })
  assert.equal((await processSelected(needs, caller, [id])).members?.NumApproved, 1)
})
