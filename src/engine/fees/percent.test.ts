import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capAt, feeAt } from '#engine/fees/percent.ts'
import { currencyCode } from '#kernel/currency.ts'

const currency = currencyCode('USD')
assert.ok(currency)

// In floating point 0.29 % of 50.00 is 14.499999999999998 cents.
const shares: readonly [basisPoints: number, base: bigint, fee: bigint, cap: bigint][] = [
  [29, 50_00n, 15n, 14n],
  [115, 1_00n, 1n, 1n],
  [150, 1_00n, 2n, 1n],
  [300, 125_00n, 375n, 375n],
  [275, 10_10n, 28n, 27n],
  [1, 49_99n, 0n, 0n],
  [1, 50_00n, 1n, 0n],
  [333, 9_999_999_999_99n, 333_000_000_00n, 332_999_999_99n],
  [10_000, 1n, 1n, 1n],
  [0, 50_00n, 0n, 0n],
]
for (const [basisPoints, minor, fee, cap] of shares) {
  test(`${basisPoints} hundredths of a percent of ${minor} cents: a fee of ${fee}, a cap of ${cap}`, () => {
    assert.equal(feeAt(basisPoints, { minor, currency }).minor, fee)
    assert.equal(capAt(basisPoints, { minor, currency }).minor, cap)
  })
}
