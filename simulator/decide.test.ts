import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currencyCode } from '#kernel/currency.ts'
import { kindOfCard } from './card-rows.ts'
import { type Asked, decide, type Decision } from './decide.ts'

const today = Temporal.PlainDate.from('2027-01-15')
const usd = currencyCode('USD')
const jpy = currencyCode('JPY')
assert(usd && jpy)

const approvedCard = '4111111111111111'
const ordinary: Asked = {
  number: approvedCard,
  expiry: { month: 12, year: 2030 },
  amount: { minor: 1_000n, currency: usd },
  fee: { minor: 0n, currency: usd },
  hasSecurityCode: true,
  street: '1 Main Street',
  zip: '10001',
}

function decided(change: Partial<Asked>, refusalsInARow = 0): Decision {
  return decide({ ...ordinary, ...change }, { today, refusalsInARow })
}

const dollars = (minor: bigint) => ({ minor, currency: usd })

test('an ordinary charge is approved and nothing is said to have provoked it', () => {
  const decision = decided({})
  assert.deepEqual(
    [decision.outcome, decision.code, decision.approvedMinor, decision.avs, decision.cvv, decision.reason],
    ['approved', '00', 1_000n, 'Y', 'M', ''],
  )
})

for (const [cents, code] of [
  [1n, '01'],
  [2n, '02'],
  [5n, '05'],
  [41n, '41'],
  [51n, '51'],
  [54n, '54'],
  [61n, '61'],
  [65n, '65'],
  [91n, '91'],
] as const) {
  test(`a total of 99xx.${String(cents).padStart(2, '0')} declines with ${code}`, () => {
    for (const minor of [990_000n + cents, 999_900n + cents]) {
      const decision = decided({ amount: dollars(minor) })
      assert.deepEqual([decision.outcome, decision.code, decision.approvedMinor], ['declined', code, 0n])
      assert.match(decision.reason, /^amount 99\d\d\.\d\d$/)
    }
  })
}

test('the cents of the base amount choose, not those of the total', () => {
  const withFee = decided({ amount: dollars(990_551n), fee: dollars(500n) })
  assert.deepEqual([withFee.code, withFee.reason], ['51', 'amount 9900.51'])
  assert.equal(decided({ amount: dollars(990_051n), fee: dollars(1n) }).code, '00')
})

test('amounts outside the range, and currencies without cents, never surprise', () => {
  for (const minor of [51n, 989_951n, 1_000_051n]) {
    assert.equal(decided({ amount: dollars(minor) }).reason, '')
  }
  assert.equal(
    decided({ amount: { minor: 990_051n, currency: jpy }, fee: { minor: 0n, currency: jpy } }).code,
    '00',
  )
})

test('a partial approval is half of the total, rounded down', () => {
  const decision = decided({ amount: dollars(990_111n), fee: dollars(1n) })
  assert.deepEqual([decision.outcome, decision.code, decision.approvedMinor], ['approved', '10', 495_055n])
})

test('an amount on a card that declines anyway does nothing', () => {
  assert.equal(decided({ number: '4000000000009995', amount: dollars(990_005n) }).code, '51')
})

test('a card is good through its month and declined with 54 after it', () => {
  assert.equal(decided({ expiry: { month: 1, year: 2027 } }).outcome, 'approved')
  const expired = decided({ expiry: { month: 12, year: 2026 } })
  assert.deepEqual([expired.outcome, expired.code, expired.reason], ['declined', '54', 'expiry in the past'])
})

for (const [zip, street, avs] of [
  ['', '', ''],
  [' ', ' ', ''],
  ['', '1 Main Street', 'A'],
  ['46203-1234', '', 'E'],
  ['46202', '', 'Y'],
] as const) {
  test(`zip "${zip}" and street "${street}" answer AVS "${avs}"`, () => {
    assert.equal(decided({ zip, street }).avs, avs)
  })
}

test('without a security code there is no answer to it, whatever the card', () => {
  for (const number of [approvedCard, '4000000000000101', '4000000000000127']) {
    assert.equal(decided({ number, hasSecurityCode: false }).cvv, '')
  }
})

test('a card that refuses twice counts its refusals, and begins again after an approval', () => {
  const number = '4000000000009268'
  const turns = [0, 1, 2].map((before) => decided({ number }, before))
  assert.deepEqual(
    turns.map(({ outcome, code, refusalsInARow }) => [outcome, code, refusalsInARow]),
    [
      ['declined', '51', 1],
      ['declined', '51', 2],
      ['approved', '00', 0],
    ],
  )
  assert.equal(decided({ number, amount: dollars(0n) }).refusalsInARow, null)
})

test('numbers of no known network are of unknown kind', () => {
  assert.equal(kindOfCard('9111111111111111'), 'unknown')
})
