import assert from 'node:assert/strict'
import { test } from 'node:test'
import { charge, makeCallerOf, makeConsent } from '../test/support/consent-world.ts'
import { useWorld } from '../test/support/session-world.ts'
import type { ChargeTally } from './charge-order.ts'
import { checkMoney, Told } from './money-check.ts'
import { CheckFailed } from './scenario.ts'

const world = useWorld()

const nothing: ChargeTally = {
  answersInTime: 0,
  approved: 0,
  approvedMinor: 0,
  declined: 0,
  hotApproved: 0,
  hotRefused: 0,
  repeated: 0,
  turnedAway: 0,
  wrong: 0,
  example: '',
  p50Ms: 0,
  p99Ms: 0,
}

test('a run counts only if clients, consents, payments, ledger and events agree', async () => {
  const needs = world()
  const told = new Told()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  await charge(needs, caller, consent, { Amounts: 12.34 })
  await charge(needs, caller, consent, { Amounts: 9_900.05 })
  told.add({ ...nothing, approved: 1, approvedMinor: 1_234, declined: 1 })
  await checkMoney(needs.db, told, 'two charges')

  told.add({ ...nothing, approved: 1, approvedMinor: 100 })
  await assert.rejects(checkMoney(needs.db, told, 'a charge that was lost'), CheckFailed)
})
