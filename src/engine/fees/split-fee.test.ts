import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Amounts, amountsOf } from '#engine/fees/amounts.ts'
import { splitApproval, splitCredit } from '#engine/fees/split-fee.ts'
import { type Currency, currencyCode } from '#kernel/currency.ts'
import { isMoreThan, type Money } from '#kernel/money.ts'

const usd = dollars()
const cents = (minor: bigint): Money => ({ minor, currency: usd })
const amounts = (total: bigint, fee: bigint): Amounts => amountsOf(cents(total - fee), cents(fee))

function dollars(): Currency {
  const currency = currencyCode('USD')
  assert.ok(currency)
  return currency
}

const parts: readonly (readonly [string, bigint, bigint, bigint, bigint])[] = [
  ['the whole has the whole fee', 10_300n, 300n, 10_300n, 300n],
  ['half of it has half the fee', 10_300n, 300n, 5_150n, 150n],
  ['half a cent goes up', 10n, 1n, 5n, 1n],
  ['less than half a cent goes down', 10n, 1n, 4n, 0n],
  ['nothing approved has no fee', 10_300n, 300n, 0n, 0n],
  ['a sum without a fee has none in its parts', 10_000n, 0n, 5_000n, 0n],
  ['a verification has neither', 0n, 0n, 0n, 0n],
  ['more than was asked for has no more fee', 10_300n, 300n, 20_000n, 300n],
]
for (const [sentence, total, fee, part, expected] of parts) {
  test(`a part of ${part} of ${total} with fee ${fee}: ${sentence}`, () => {
    assert.deepEqual(splitApproval(amounts(total, fee), cents(part)), amounts(part, expected))
  })
}

// The fees within credits that follow each other.
function feesOf(paid: { fee: bigint; total: bigint }, credits: readonly bigint[]): readonly bigint[] {
  const fees: bigint[] = []
  for (const [at, credit] of credits.entries()) {
    const credited = amounts(sum(credits.slice(0, at)), sum(fees))
    const split = splitCredit({ paid: amounts(paid.total, paid.fee), credited }, cents(credit))
    assert.deepEqual(split.total, cents(credit))
    fees.push(split.fee.minor)
  }
  return fees
}

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n)

const credits: readonly (readonly [string, { total: bigint; fee: bigint }, bigint[], bigint[]])[] = [
  ['one credit of everything gives the whole fee back', { total: 10_300n, fee: 300n }, [10_300n], [300n]],
  ['the last takes the remainder', { total: 10_000n, fee: 100n }, [3_333n, 3_333n, 3_334n], [33n, 33n, 34n]],
  [
    'halves that went up are not given back twice',
    { total: 4n, fee: 2n },
    [1n, 1n, 1n, 1n],
    [1n, 1n, 0n, 0n],
  ],
  ['a fee of one cent is given back once', { total: 100n, fee: 1n }, [50n, 50n], [1n, 0n]],
  ['fees that went down come with the last', { total: 100n, fee: 1n }, [40n, 40n, 20n], [0n, 0n, 1n]],
  ['a sum without a fee gives none back', { total: 100n, fee: 0n }, [60n, 40n], [0n, 0n]],
]
for (const [sentence, paid, parted, expected] of credits) {
  test(`credits of ${parted.join(', ')} of ${paid.total} with fee ${paid.fee}: ${sentence}`, () => {
    assert.deepEqual(feesOf(paid, parted), expected)
  })
}

test('more than is left is never credited', () => {
  assert.throws(() => feesOf({ total: 100n, fee: 3n }, [60n, 41n]))
})

test('credits that make up the total give back exactly the fee, each within its own sum', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 6n })
  const slices = fc.array(amount, { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(slices, fc.bigInt({ min: 0n, max: 10_000n }), (parted, share) => {
      const total = sum(parted)
      const fee = (total * share) / 10_000n
      const fees = feesOf({ total, fee }, parted)
      assert.equal(sum(fees), fee)
      assert.ok(fees.every((one, at) => one >= 0n && one <= (parted[at] ?? 0n)))
    }),
  )
})

test('a larger part never has a smaller fee, and no part has more price or fee than the whole', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 13n })
  fc.assert(
    fc.property(amount, amount, amount, amount, (price, fee, part, more) => {
      const total = price + fee + part + more
      const asked = amounts(total, fee)
      const split = splitApproval(asked, cents(part))
      assert.ok(!isMoreThan(split.fee, splitApproval(asked, cents(part + more)).fee))
      assert.ok(!isMoreThan(split.fee, asked.fee) && !isMoreThan(split.base, asked.base))
    }),
  )
})
