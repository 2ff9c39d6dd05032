import assert from 'node:assert/strict'
import { test } from 'node:test'
import { divideDown, divideHalfUp } from '#kernel/rounding.ts'

const quotients = [
  [0n, 4n, 0n, 0n],
  [1n, 4n, 0n, 0n],
  [2n, 4n, 1n, 0n],
  [3n, 4n, 1n, 0n],
  [4n, 4n, 1n, 1n],
  [1n, 3n, 0n, 0n],
  [2n, 3n, 1n, 0n],
  [10n ** 30n + 5n, 10n, 10n ** 29n + 1n, 10n ** 29n],
] as const
for (const [dividend, divisor, halfUp, down] of quotients) {
  test(`${dividend} / ${divisor} is ${halfUp} half up and ${down} down`, () => {
    assert.equal(divideHalfUp(dividend, divisor), halfUp)
    assert.equal(divideDown(dividend, divisor), down)
  })
}

test('neither a negative amount nor a division by 0 is rounded', () => {
  assert.throws(() => divideHalfUp(-1n, 2n))
  assert.throws(() => divideDown(1n, 0n))
})
