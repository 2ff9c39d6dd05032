import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clampFees } from '#engine/fees/clamp-fees.ts'
import { explain } from '#engine/fees/fee-decision.ts'
import type { FeeRule } from '#engine/fees/fee-rule.ts'
import { type FeeQuote, quoteFees } from '#engine/fees/quote-fees.ts'
import type { CardKind } from '#engine/acquirers/acquirer.ts'
import { type Currency, currencyCode } from '#kernel/currency.ts'
import { addMoney, type Money } from '#kernel/money.ts'

const usd = dollars()
const cents = (minor: bigint): Money => ({ minor, currency: usd })

function dollars(): Currency {
  const currency = currencyCode('USD')
  assert.ok(currency)
  return currency
}

const surcharge: FeeRule = { kind: 'surcharge', basisPoints: 300 }

function quoteOf(base: bigint, rule: FeeRule = surcharge, kind: CardKind = 'credit'): FeeQuote {
  const on = Temporal.PlainDate.from('2026-11-02')
  const card = { brand: 'VI' as const, kind }
  return quoteFees({ rule, card, region: 'IL', isRegionConfirmed: false, on }, cents(base))
}

const given = (minor: bigint | null) => (minor === null ? null : cents(minor))

// The quote for 100.00 is 3.00.
const accepted: readonly (readonly [string, bigint | null, bigint | null, bigint, string])[] = [
  ['no fee asked for is no fee', null, null, 0n, 'Surcharge 3 %: no fee was asked for, 3.00 is the most.'],
  ['a fee of 0 is no fee', 0n, 10_000n, 0n, 'Surcharge 3 %: no fee was asked for, 3.00 is the most.'],
  [
    'a smaller fee is accepted as it is',
    299n,
    10_299n,
    299n,
    'Surcharge 3 %: a smaller fee was asked for, 3.00 is the most.',
  ],
  ['the quoted fee is accepted', 300n, 10_300n, 300n, 'Surcharge 3 %: within the cap Visa 3 %.'],
  ['the total may be left out', 300n, null, 300n, 'Surcharge 3 %: within the cap Visa 3 %.'],
  [
    'a larger fee is clamped to the quoted one',
    500n,
    10_500n,
    300n,
    'Surcharge 3 %: within the cap Visa 3 %; 5.00 was asked for, 3.00 is the most.',
  ],
]
for (const [sentence, fee, total, charged, explained] of accepted) {
  test(`asked for fee ${fee} and total ${total}: ${sentence}`, () => {
    const clamped = clampFees({ fee: given(fee), total: given(total) }, quoteOf(10_000n))
    assert.ok(clamped.ok)
    assert.deepEqual(clamped.value.fee, cents(charged))
    assert.deepEqual(clamped.value.total, cents(10_000n + charged))
    assert.equal(explain(clamped.value.decision), explained)
  })
}

test('a fee on a debit card is clamped to nothing, and the answer says why', () => {
  const clamped = clampFees({ fee: cents(300n), total: null }, quoteOf(10_000n, surcharge, 'debit'))
  assert.ok(clamped.ok)
  assert.deepEqual(clamped.value.total, cents(10_000n))
  const sentence = 'Surcharge 3 %: debit cards carry no surcharge; 3.00 was asked for, 0.00 is the most.'
  assert.equal(explain(clamped.value.decision), sentence)
})

const refused: readonly (readonly [string, FeeRule, bigint | null, bigint | null, string])[] = [
  ['a fee where none is configured', { kind: 'none' }, 1n, null, 'fees_not_configured'],
  ['such a fee even when the total fits', { kind: 'none' }, 1n, 10_001n, 'fees_not_configured'],
  ['a total without its fee', surcharge, null, 10_300n, 'total_mismatch'],
  ['a total that leaves the fee out', surcharge, 300n, 10_000n, 'total_mismatch'],
  ['a total with a clamped fee when more was asked for', surcharge, 500n, 10_300n, 'total_mismatch'],
  ['a total of more than the base', { kind: 'none' }, null, 10_001n, 'total_mismatch'],
]
for (const [what, rule, fee, total, refusal] of refused) {
  test(`refuses ${what}`, () => {
    const clamped = clampFees({ fee: given(fee), total: given(total) }, quoteOf(10_000n, rule))
    assert.equal(clamped.ok ? 'accepted' : clamped.refusal.kind, refusal)
  })
}

test('base and total alone are right where no fees are configured', () => {
  const quote = quoteOf(10_000n, { kind: 'none' })
  for (const fee of [null, cents(0n)]) {
    const clamped = clampFees({ fee, total: cents(10_000n) }, quote)
    assert.ok(clamped.ok)
    assert.deepEqual(clamped.value, quote)
  }
})

test('a refused total tells both figures', () => {
  const clamped = clampFees({ fee: cents(300n), total: cents(1n) }, quoteOf(10_000n))
  assert.deepEqual(clamped.ok ? null : clamped.refusal.details, { total: '0.01', sum: '103.00' })
})

test('the fee is the smaller of asked and quoted, and the total is base plus fee', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 12n })
  fc.assert(
    fc.property(amount, amount, fc.integer({ min: 1, max: 1_000 }), (base, fee, basisPoints) => {
      const quote = quoteOf(base, { kind: 'surcharge', basisPoints })
      const clamped = clampFees({ fee: cents(fee), total: cents(base + fee) }, quote)
      assert.ok(clamped.ok)
      const { value } = clamped
      assert.equal(value.fee.minor, fee < quote.fee.minor ? fee : quote.fee.minor)
      assert.deepEqual(value.total, addMoney(value.base, value.fee))
      assert.equal(value.decision.clamped === null, fee <= quote.fee.minor)
    }),
  )
})
