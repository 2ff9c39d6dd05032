import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addBankingDays, isBankingDay } from '#kernel/banking-days.ts'

const date = (text: string): Temporal.PlainDate => Temporal.PlainDate.from(text)

// The holidays that the Federal Reserve has published for these years.
const holidays = `2026-01-01 2026-01-19 2026-02-16 2026-05-25 2026-06-19 2026-09-07 2026-10-12 2026-11-11
  2026-11-26 2026-12-25 2027-01-01 2027-01-18 2027-02-15 2027-05-31 2027-07-05 2027-09-06 2027-10-11
  2027-11-11 2027-11-25`.split(/\s+/)

test('in two years banks rest on weekends and on the published holidays, and on no other day', () => {
  let resting = 0
  for (let day = date('2026-01-01'); day.year < 2028; day = day.add({ days: 1 })) {
    const rests = day.dayOfWeek > 5 || holidays.includes(day.toString())
    assert.equal(isBankingDay(day), !rests, day.toString())
    resting += rests ? 1 : 0
  }
  assert.equal(resting, 104 + 104 + holidays.length)
})

for (const [from, count, to, why] of [
  ['2027-01-12', 2, '2027-01-14', 'Tuesday to Thursday'],
  ['2027-01-14', 2, '2027-01-19', 'over a weekend and Martin Luther King Day'],
  ['2027-01-16', 0, '2027-01-19', 'a Saturday counts as the next banking day'],
  ['2026-07-02', 2, '2026-07-06', 'Independence Day on a Saturday is not kept on the Friday'],
  ['2027-07-02', 1, '2027-07-06', 'Independence Day on a Sunday is kept on the Monday'],
  ['2026-12-31', 1, '2027-01-04', 'over the new year'],
] as const) {
  test(`${count} banking days after ${from} is ${to}: ${why}`, () => {
    assert.equal(addBankingDays(date(from), count).toString(), to)
  })
}
