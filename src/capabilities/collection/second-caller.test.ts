import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelRecurringConsent } from '#capabilities/recurring/cancel-recurring-consent.operation.ts'
import { bankMinor, makeCallerOf, postedMinor } from '../../../test/support/consent-world.ts'
import { instalmentsOf, makePlan, processDue } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

// A run that has judged and claimed a payment, and is about to record its attempt when this happens.
function interrupted(needs: World, happens: () => Promise<unknown>): World {
  const { attempts } = needs.bulk
  const add: typeof attempts.add = async (attempt) => {
    await happens()
    return attempts.add(attempt)
  }
  return { ...needs, bulk: { ...needs.bulk, attempts: { add } } }
}

test('a payment whose plan is cancelled while a run has it is not charged', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent, created } = await makePlan(needs, caller, { NumPayments: 1 })
  const { consentId } = created
  assert(consentId)
  const cancel = async () => assert((await cancelRecurringConsent(needs, caller, { consentId })).ok)
  await processDue(interrupted(needs, cancel), caller)
  assert.deepEqual([await bankMinor(needs), await postedMinor(needs.db, caller)], [0n, 0n])
  assert.deepEqual(
    (await instalmentsOf(needs.db, consent)).map(({ state }) => state),
    ['cancelled'],
  )
})
