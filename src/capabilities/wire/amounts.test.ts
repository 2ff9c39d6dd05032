import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exact } from '#capabilities/wire/amounts.wire.ts'

test('an amount is read exactly as it was written', () => {
  assert.deepEqual(exact(10.1), { units: 101n, scale: 1 })
  assert.deepEqual(exact(9_999_999_999.99), { units: 999_999_999_999n, scale: 2 })
  assert.deepEqual(exact(1e-7), { units: 1n, scale: 7 })
})
