import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LeaseHorizon } from '#engine/payments/lease-horizon.ts'
import { usualPatience } from '#engine/payments/payment-needs.ts'
import { testClock } from '../../../test/support/test-clock.ts'

test('what is older than a lease may be lost, and what is there when the watch begins', () => {
  const clock = testClock()
  const needs = { clock, patience: usualPatience }
  const horizon = new LeaseHorizon()
  assert.equal(horizon.see(100n, needs), 100n)
  clock.advance({ seconds: 2 })
  assert.equal(horizon.see(200n, needs), 100n)
  clock.advance({ seconds: 43 })
  assert.equal(horizon.see(300n, needs), 100n)
  clock.advance({ seconds: 2 })
  assert.equal(horizon.see(400n, needs), 200n)
  clock.advance({ minutes: 5 })
  assert.equal(horizon.see(500n, needs), 400n)
})
