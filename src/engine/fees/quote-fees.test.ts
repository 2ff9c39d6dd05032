import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { CardKind } from '#engine/acquirers/acquirer.ts'
import { explain } from '#engine/fees/fee-decision.ts'
import type { FeeRule } from '#engine/fees/fee-rule.ts'
import { type FeeCase, quoteFees } from '#engine/fees/quote-fees.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import { type Currency, currencyCode } from '#kernel/currency.ts'
import { parseDecimal } from '#kernel/decimal.ts'
import { addMoney, type Money, moneyFromDecimal, printMoney } from '#kernel/money.ts'

// 'VI credit IL' is a Visa credit card at a record in Illinois; a + behind the region means that the operator
// has confirmed it, and - stands for a region that is not known.
function caseOf(words: string, rule: FeeRule, date = '2026-11-02'): FeeCase {
  const [brand = '', kind = '', region = ''] = words.split(' ')
  return {
    rule,
    card: { brand: (brand === '?' ? '' : brand) as CardBrand, kind: kind as CardKind },
    region: region.replace(/[+-]/, ''),
    isRegionConfirmed: region.endsWith('+'),
    on: Temporal.PlainDate.from(date),
  }
}

function currencyOf(code: string): Currency {
  const currency = currencyCode(code)
  assert.ok(currency)
  return currency
}

function moneyOf(text: string, code = 'USD'): Money {
  const decimal = parseDecimal(text)
  const money = decimal && moneyFromDecimal(decimal, currencyOf(code))
  assert.ok(money)
  return money
}

const surcharge = (basisPoints: number): FeeRule => ({ kind: 'surcharge', basisPoints })
const convenience = (fixed: string, basisPoints = 0): FeeRule => ({
  kind: 'convenience',
  fixed: moneyOf(fixed),
  basisPoints,
})

type Row = readonly [words: string, rule: FeeRule, fee: string, sentence: string]

function check(rows: readonly Row[]): void {
  for (const [words, rule, fee, sentence] of rows) {
    test(`100.00 on ${words}, fee ${fee}. ${sentence}`, () => {
      const quote = quoteFees(caseOf(words, rule), moneyOf('100'))
      assert.equal(printMoney(quote.fee), fee)
      assert.equal(explain(quote.decision), sentence)
    })
  }
}

describe('a record without fees', () => {
  const sentence = 'No fee: the merchant record has no fees configured.'
  check([
    ['VI credit IL', { kind: 'none' }, '0.00', sentence],
    ['AE credit -', { kind: 'none' }, '0.00', sentence],
  ])
})

describe('a surcharge is for credit cards', () => {
  check([
    ['VI debit IL', surcharge(300), '0.00', 'Surcharge 3 %: debit cards carry no surcharge.'],
    ['VI prepaid IL', surcharge(300), '0.00', 'Surcharge 3 %: prepaid cards carry no surcharge.'],
    ['VI unknown IL', surcharge(300), '0.00', 'Surcharge 3 %: cards of unknown kind carry no surcharge.'],
    ['MC debit CO', surcharge(300), '0.00', 'Surcharge 3 %: debit cards carry no surcharge.'],
    ['AE prepaid OK+', surcharge(300), '0.00', 'Surcharge 3 %: prepaid cards carry no surcharge.'],
  ])
})

describe("a surcharge stays within the network's cap", () => {
  check([
    ['VI credit IL', surcharge(300), '3.00', 'Surcharge 3 %: within the cap Visa 3 %.'],
    ['VI credit IL', surcharge(275), '2.75', 'Surcharge 2.75 %: within the cap Visa 3 %.'],
    ['VI credit IL', surcharge(350), '3.00', 'Surcharge 3.5 %: lowered to the cap Visa 3 %.'],
    ['MC credit IL', surcharge(350), '3.50', 'Surcharge 3.5 %: within the cap Mastercard 4 %.'],
    ['MC credit IL', surcharge(500), '4.00', 'Surcharge 5 %: lowered to the cap Mastercard 4 %.'],
    ['AE credit IL', surcharge(500), '5.00', 'Surcharge 5 %: American Express has no cap of its own.'],
    ['DS credit IL', surcharge(350), '3.50', 'Surcharge 3.5 %: Discover has no cap of its own.'],
    ['DC credit IL', surcharge(350), '3.50', 'Surcharge 3.5 %: Diners Club has no cap of its own.'],
    ['JC credit IL', surcharge(350), '3.50', 'Surcharge 3.5 %: JCB has no cap of its own.'],
    ['UP credit IL', surcharge(350), '3.50', 'Surcharge 3.5 %: UnionPay has no cap of its own.'],
    ['? credit IL', surcharge(300), '0.00', 'Surcharge 3 %: an unknown network allows no surcharge.'],
  ])
})

describe("a surcharge stays within the region's cap", () => {
  const counsel = 'allows surcharges only when confirmed with counsel.'
  check([
    ['VI credit CO', surcharge(300), '2.00', 'Surcharge 3 %: lowered to the cap Colorado 2 %.'],
    ['MC credit CO', surcharge(150), '1.50', 'Surcharge 1.5 %: within the cap Colorado 2 %.'],
    ['AE credit CO', surcharge(350), '2.00', 'Surcharge 3.5 %: lowered to the cap Colorado 2 %.'],
    ['VI credit CT', surcharge(300), '0.00', 'Surcharge 3 %: Connecticut forbids surcharges.'],
    ['VI credit CT+', surcharge(300), '0.00', 'Surcharge 3 %: Connecticut forbids surcharges.'],
    ['AE credit MA', surcharge(300), '0.00', 'Surcharge 3 %: Massachusetts forbids surcharges.'],
    ['MC credit PR', surcharge(300), '0.00', 'Surcharge 3 %: Puerto Rico forbids surcharges.'],
    ['VI credit ME', surcharge(300), '0.00', `Surcharge 3 %: Maine ${counsel}`],
    ['VI credit ME+', surcharge(300), '3.00', 'Surcharge 3 %: within the cap Visa 3 %.'],
    ['AE credit OK', surcharge(300), '0.00', `Surcharge 3 %: Oklahoma ${counsel}`],
    ['AE credit OK+', surcharge(300), '3.00', 'Surcharge 3 %: American Express has no cap of its own.'],
    ['VI credit DE-BE', surcharge(300), '3.00', 'Surcharge 3 %: within the cap Visa 3 %.'],
    ['VI credit -', surcharge(300), '0.00', "Surcharge 3 %: the merchant record's region is not known."],
  ])
})

describe('a convenience fee is a fixed amount, for every kind of card and in every region', () => {
  const both = 'Convenience fee 2.50 and 1 %: the fixed amount and the percentage.'
  const alone = 'Convenience fee 2.50 and 1 %: the fixed amount alone, because'
  check([
    ['VI credit IL', convenience('2.50'), '2.50', 'Convenience fee 2.50: the fixed amount.'],
    ['VI debit CT', convenience('2.50'), '2.50', 'Convenience fee 2.50: the fixed amount.'],
    ['MC unknown -', convenience('2.50'), '2.50', 'Convenience fee 2.50: the fixed amount.'],
    ['VI credit IL', convenience('2.50', 100), '2.50', `${alone} Visa allows no percentage.`],
    ['VI prepaid IL', convenience('2.50', 100), '2.50', `${alone} Visa allows no percentage.`],
    ['? credit IL', convenience('2.50', 100), '2.50', `${alone} an unknown network allows no percentage.`],
    ['MC credit IL', convenience('2.50', 100), '3.50', both],
    ['AE debit CO', convenience('2.50', 100), '3.50', both],
  ])

  test('its amount is in the currency of the record, and never added to another', () => {
    assert.throws(() => quoteFees(caseOf('VI credit IL', convenience('2.50')), moneyOf('500', 'JPY')))
  })
})

describe('rounding', () => {
  const rows = [
    ['the fee rounds half up', 'AE', 300, '0.50', 'USD', '0.02'],
    ['below the half it rounds down', 'AE', 300, '0.49', 'USD', '0.01'],
    ['a cap rounds down, and the smaller counts', 'VI', 300, '0.50', 'USD', '0.01'],
    ['a fee that rounds down to its cap stays', 'VI', 300, '0.49', 'USD', '0.01'],
    ['a fee below its cap still rounds half up', 'VI', 250, '0.60', 'USD', '0.01'],
    ['a cap on a cent is nothing', 'VI', 300, '0.01', 'USD', '0.00'],
    ['of 33.33 at 3 %', 'MC', 300, '33.33', 'USD', '1.00'],
    ['of the largest amount', 'MC', 400, '9999999999.99', 'USD', '399999999.99'],
    ['yen have no decimals', 'AE', 300, '50', 'JPY', '2'],
    ['a cap in yen', 'VI', 300, '50', 'JPY', '1'],
    ['dinars have three', 'AE', 300, '0.050', 'KWD', '0.002'],
    ['a cap in dinars', 'VI', 350, '1.250', 'KWD', '0.037'],
  ] as const
  for (const [sentence, brand, basisPoints, base, currency, fee] of rows) {
    test(`${basisPoints} basis points of ${base} ${currency} on ${brand} are ${fee}: ${sentence}`, () => {
      const feeCase = caseOf(`${brand} credit IL`, surcharge(basisPoints))
      assert.equal(printMoney(quoteFees(feeCase, moneyOf(base, currency)).fee), fee)
    })
  }
})

describe('the cap is told by the percentage, also where the cent is the same', () => {
  const rows = [
    ['0.37', 400, '0.01', 'Surcharge 4 %: lowered to the cap Visa 3 %.'],
    ['0.12', 400, '0.00', 'Surcharge 4 %: lowered to the cap Visa 3 %.'],
    ['0.50', 300, '0.01', 'Surcharge 3 %: within the cap Visa 3 %.'],
  ] as const
  for (const [base, basisPoints, fee, sentence] of rows) {
    test(`${base} USD at ${basisPoints} basis points: ${sentence}`, () => {
      const quote = quoteFees(caseOf('VI credit IL', surcharge(basisPoints)), moneyOf(base))
      assert.deepEqual([printMoney(quote.fee), explain(quote.decision)], [fee, sentence])
    })
  }
})

describe('the tables of the day count', () => {
  const rows = [
    ['VI credit IL', '2013-01-26', '0.00', null, 'before networks allowed it'],
    ['VI credit IL', '2013-01-27', '3.50', 'Visa 4 %', 'from the first day'],
    ['VI credit IL', '2023-04-14', '3.50', 'Visa 4 %', 'the last day at 4 %'],
    ['VI credit IL', '2023-04-15', '3.00', 'Visa 3 %', 'the first day at 3 %'],
    ['MC credit IL', '2023-04-15', '3.50', 'Mastercard 4 %', 'another network did not change'],
    ['AE credit CO', '2022-06-30', '0.00', null, 'the last day Colorado forbade it'],
    ['AE credit CO', '2022-07-01', '2.00', 'Colorado 2 %', 'the first day it allowed 2 %'],
    ['AE credit CT', '1999-12-31', '0.00', null, 'before the table begins nothing is allowed'],
    ['AE credit OK+', '1999-12-31', '0.00', null, 'not even what was confirmed later'],
  ] as const
  for (const [words, date, fee, cap, sentence] of rows) {
    test(`3.5 % on ${words} on ${date}: ${sentence}`, () => {
      const quote = quoteFees(caseOf(words, surcharge(350), date), moneyOf('100'))
      assert.deepEqual([printMoney(quote.fee), quote.decision.cap], [fee, cap])
    })
  }
})

describe('for every card, region, date and amount', () => {
  const brands: CardBrand[] = ['VI', 'MC', 'AE', 'DS', 'DC', 'JC', 'UP', '']
  const kinds: CardKind[] = ['credit', 'debit', 'prepaid', 'unknown']
  const regions = ['', 'IL', 'CO', 'CT', 'MA', 'PR', 'ME', 'OK', 'DE-BE']
  const caps: Partial<Record<string, bigint>> = { VI: 300n, MC: 400n, CO: 200n, CT: 0n, MA: 0n, PR: 0n }
  const feeCases = fc.record({
    rule: fc.integer({ min: 0, max: 1_000 }).map(surcharge),
    card: fc.record({ brand: fc.constantFrom(...brands), kind: fc.constantFrom(...kinds) }),
    region: fc.constantFrom(...regions),
    isRegionConfirmed: fc.boolean(),
    on: fc.integer({ min: 0, max: 2_000 }).map((days) => Temporal.PlainDate.from('2023-04-15').add({ days })),
  })
  const amounts = fc.bigInt({ min: 0n, max: 10n ** 13n })
  const usd = currencyOf('USD')

  test('a surcharge never lies above a cap, not by a fraction of a cent', () => {
    fc.assert(
      fc.property(feeCases, amounts, (feeCase, minor) => {
        const { fee } = quoteFees(feeCase, { minor, currency: usd })
        for (const one of [feeCase.card.brand, feeCase.region]) {
          const cap = caps[one]
          assert.ok(cap === undefined || fee.minor * 10_000n <= minor * cap)
        }
        if (feeCase.card.kind !== 'credit') assert.equal(fee.minor, 0n)
        if (/^(ME|OK)$/.test(feeCase.region) && !feeCase.isRegionConfirmed) assert.equal(fee.minor, 0n)
      }),
    )
  })

  test('the total is base plus fee, and the decision can be stored', () => {
    fc.assert(
      fc.property(feeCases, amounts, (feeCase, minor) => {
        const { base, fee, total, decision } = quoteFees(feeCase, { minor, currency: usd })
        assert.deepEqual(total, addMoney(base, fee))
        assert.deepEqual(JSON.parse(JSON.stringify(decision)), decision)
        assert.match(explain(decision), /^[A-Z].*[^.]\.$/)
      }),
    )
  })

  test('a larger amount never has a smaller fee', () => {
    fc.assert(
      fc.property(feeCases, amounts, amounts, (feeCase, minor, more) => {
        const fees = [minor, minor + more].map((one) => quoteFees(feeCase, { minor: one, currency: usd }).fee)
        assert.ok((fees[0]?.minor ?? 0n) <= (fees[1]?.minor ?? 0n))
      }),
    )
  })
})
