import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showAccountClock } from '#capabilities/sandbox/show-clock.operation.ts'
import { moveClock } from '#engine/account-clock/move-clock.operation.ts'
import { makeCaller } from '../../../test/support/consent-world.ts'
import { makeAccount, useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

test('a clock that was never moved shows real time', async () => {
  const needs = world()
  const caller = await makeCaller(needs, await makeAccount(needs))
  const shown = await showAccountClock(needs, caller)
  assert.ok(shown.ok)
  assert.equal(shown.value.now.toString(), '2027-01-15T10:00:00Z')
})

test('a node learns from the database that another has moved a clock', async () => {
  const [here, there] = [world(), world()]
  const account = await makeAccount(here)
  const wish = { kind: 'advance', by: Temporal.Duration.from('P1M') } as const
  await moveClock(here, [], { accountId: account.accountId, timeZone: 'UTC', wish, patienceMs: null })
  const shown = await showAccountClock(there, await makeCaller(there, account))
  assert.ok(shown.ok)
  assert.equal(shown.value.now.toString(), '2027-02-15T10:00:00Z')
})

test('live accounts have no clock to show', async () => {
  const needs = world()
  const live = { ...needs, keyRing: { ...needs.keyRing, mode: 'live' as const } }
  const shown = await showAccountClock(live, await makeCaller(needs, await makeAccount(needs)))
  assert.equal(!shown.ok && shown.refusal.kind, 'clock_is_live')
})
