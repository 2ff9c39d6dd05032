import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cardExpiry, isExpiredOn, lastDayOf, printExpiry } from '#kernel/card-expiry.ts'

for (const [month, year, expected] of [
  [8, 27, { month: 8, year: 2027 }],
  [8, 2027, { month: 8, year: 2027 }],
  [1, 0, { month: 1, year: 2000 }],
  [12, 99, { month: 12, year: 2099 }],
  [0, 27, null],
  [13, 27, null],
  [-1, 27, null],
  [1.5, 27, null],
  [1, 27.5, null],
  [1, -1, null],
  [1, 100, null],
  [1, 1999, null],
  [1, 2100, null],
  [Number.NaN, 27, null],
] as const) {
  test(`month ${month} and year ${year} are ${expected ? printExpiry(expected) : 'no expiry'}`, () =>
    assert.deepEqual(cardExpiry(month, year), expected))
}

for (const [month, year, today, isExpired] of [
  [2, 2028, '2028-02-29', false],
  [2, 2028, '2028-03-01', true],
  [12, 2027, '2027-12-31', false],
  [12, 2027, '2028-01-01', true],
  [1, 2027, '2026-12-31', false],
] as const) {
  const word = isExpired ? 'no longer good' : 'still good'
  test(`a card through ${printExpiry({ month, year })} is ${word} on ${today}`, () =>
    assert.equal(isExpiredOn({ month, year }, Temporal.PlainDate.from(today)), isExpired))
}

test('the last day of a month knows leap years', () => {
  assert.equal(String(lastDayOf({ month: 2, year: 2028 })), '2028-02-29')
  assert.equal(String(lastDayOf({ month: 2, year: 2027 })), '2027-02-28')
})

test('an expiry is printed with two digits each', () =>
  assert.equal(printExpiry({ month: 3, year: 2031 }), '03/31'))
