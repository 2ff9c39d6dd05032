import { printDecimal } from '#kernel/decimal.ts'
import type { Money } from '#kernel/money.ts'
import { divideDown, divideHalfUp } from '#kernel/rounding.ts'

// Percentages are counted in basis points: 300 is 3 %.
const basisPointsOfWhole = 10_000n

// A fee rounds half up.
export function feeAt(basisPoints: number, base: Money): Money {
  const { minor, currency } = base
  return { minor: divideHalfUp(minor * BigInt(basisPoints), basisPointsOfWhole), currency }
}

// A cap rounds down, so that not even a fraction of the smallest coin lies above it.
export function capAt(basisPoints: number, base: Money): Money {
  const { minor, currency } = base
  return { minor: divideDown(minor * BigInt(basisPoints), basisPointsOfWhole), currency }
}

// 300 is "3 %", 275 is "2.75 %".
export function printPercent(basisPoints: number): string {
  const digits = printDecimal({ units: BigInt(basisPoints), scale: 2 })
  return `${digits.replace(/\.?0+$/, '')} %`
}
