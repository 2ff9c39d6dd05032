import { assert } from '#kernel/assert.ts'

// Exact division of amounts that are never negative. A half goes up: 2.5 is 3.
export function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  assertDivisible(dividend, divisor)
  return (2n * dividend + divisor) / (2n * divisor)
}

export function divideDown(dividend: bigint, divisor: bigint): bigint {
  assertDivisible(dividend, divisor)
  return dividend / divisor
}

function assertDivisible(dividend: bigint, divisor: bigint): void {
  assert(dividend >= 0n && divisor > 0n, 'what is rounded is not negative, and divided by more than 0')
}
