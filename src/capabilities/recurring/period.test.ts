import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dueDay, type Period, periodFrom, periods } from '#capabilities/recurring/period.ts'

type Row = readonly [Period, start: string, days: string]

// The first days of a plan, told without their year where it is the one before.
const table: readonly Row[] = [
  ['WEEKLY', '2027-12-20', '2027-12-20 2027-12-27 2028-01-03 2028-01-10'],
  ['WEEKLY', '2028-02-22', '2028-02-22 2028-02-29 2028-03-07'],
  ['BI_WEEKLY', '2027-12-24', '2027-12-24 2028-01-07 2028-01-21'],
  [
    'TWICE_MONTHLY',
    '2027-01-31',
    '2027-01-31 2027-02-16 2027-02-28 2027-03-16 2027-03-31 2027-04-16 2027-04-30',
  ],
  ['TWICE_MONTHLY', '2028-01-31', '2028-01-31 2028-02-16 2028-02-29 2028-03-16'],
  ['TWICE_MONTHLY', '2027-01-01', '2027-01-01 2027-01-16 2027-02-01 2027-02-16'],
  ['TWICE_MONTHLY', '2027-01-15', '2027-01-15 2027-01-30 2027-02-15 2027-02-28 2027-03-15 2027-03-30'],
  ['TWICE_MONTHLY', '2027-12-16', '2027-12-16 2028-01-01 2028-01-16 2028-02-01'],
  ['MONTHLY', '2027-01-31', '2027-01-31 2027-02-28 2027-03-31 2027-04-30 2027-05-31'],
  ['MONTHLY', '2028-01-30', '2028-01-30 2028-02-29 2028-03-30'],
  ['MONTHLY', '2027-11-30', '2027-11-30 2027-12-30 2028-01-30 2028-02-29 2028-03-30'],
  ['BI_MONTHLY', '2027-12-31', '2027-12-31 2028-02-29 2028-04-30 2028-06-30 2028-08-31'],
  ['QUARTERLY', '2027-11-30', '2027-11-30 2028-02-29 2028-05-30 2028-08-30'],
  ['SEMI_ANNUALLY', '2027-08-31', '2027-08-31 2028-02-29 2028-08-31 2029-02-28'],
  ['ANNUALLY', '2028-02-29', '2028-02-29 2029-02-28 2030-02-28 2031-02-28 2032-02-29'],
]

describe('the days of a plan', () => {
  for (const [period, start, days] of table) {
    test(`${period} from ${start}`, () => {
      const startsOn = Temporal.PlainDate.from(start)
      const expected = days.split(' ')
      const made = expected.map((_, at) => dueDay({ period, startsOn }, at + 1).toString())
      assert.deepEqual(made, expected)
    })
  }

  test('every period goes forward, from every day of a leap year and of another one', () => {
    for (const period of periods) {
      for (let day = Temporal.PlainDate.from('2027-01-01'); day.year < 2029; day = day.add({ days: 1 })) {
        const days = Array.from({ length: 30 }, (_, at) => dueDay({ period, startsOn: day }, at + 1))
        assert.ok(days[0]?.equals(day), 'the first payment is on the start')
        const isForward = days.every(
          (one, at) => at === 0 || Temporal.PlainDate.compare(days[at - 1] ?? one, one) < 0,
        )
        assert.ok(isForward, `${period} from ${day.toString()}`)
      }
    }
  })
})

describe('a period by number or name', () => {
  const named: readonly (readonly [number | string, Period | null])[] = [
    [1, 'WEEKLY'],
    [3, 'TWICE_MONTHLY'],
    [8, 'ANNUALLY'],
    ['4', 'MONTHLY'],
    ['monthly', 'MONTHLY'],
    ['BI_WEEKLY', 'BI_WEEKLY'],
    [0, null],
    [9, null],
    [1.5, null],
    ['', null],
    ['DAILY', null],
  ]
  for (const [given, period] of named) {
    test(`${JSON.stringify(given)} is ${period ?? 'none'}`, () => {
      assert.equal(periodFrom(given), period)
    })
  }
})
