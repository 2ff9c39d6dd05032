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
    const { message } = await processSelected({ ...needs, sending: { hold: paused } }, caller, [id])
    assert.match(message, new RegExp(`Not charged, try again: SchedID ${id}$`))
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
    const { message } = await processDue({ ...needs, db, sending }, caller)
    assert.match(message, new RegExp(`Not charged, try again: SchedID ${id}$`))
    assert.equal((await instalmentsOf(needs.db, consent))[0]?.tries, 0)
    assert.equal((await processDue(needs, caller)).members.NumApproved, 1)
    assert.equal(await bankMinor(needs), 1000n)
  })
})
