import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  earliestOf,
  isTimeZone,
  parseCalendarDate,
  parseEnd,
  parseMoment,
  printCalendarDate,
  printMoment,
  printUsMoment,
  readableDates,
} from '#kernel/calendar.ts'

const zone = 'America/New_York'

const moments = [
  ['2026-09-11T16:16:00Z', '2026-09-11T16:16:00.000Z'],
  ['2026-09-11T16:16:00.123+02:00', '2026-09-11T14:16:00.123Z'],
  ['2026-09-11T16:16+0200', '2026-09-11T14:16:00.000Z'],
  ['2026-09-11T16:16:00', '2026-09-11T20:16:00.000Z'],
  ['2026-12-11 16:16:00', '2026-12-11T21:16:00.000Z'],
  ['2026-09-11', '2026-09-11T04:00:00.000Z'],
  ['2026/09/11', '2026-09-11T04:00:00.000Z'],
  ['9/11/2026', '2026-09-11T04:00:00.000Z'],
  ['9/11/2026 12:05:09 AM', '2026-09-11T04:05:09.000Z'],
  ['9/11/2026 12:05:09 PM', '2026-09-11T16:05:09.000Z'],
  ['9/11/2026 4:16 pm', '2026-09-11T20:16:00.000Z'],
  ['/Date(1789143360000)/', '2026-09-11T16:16:00.000Z'],
  ['/Date(1789143360000-0400)/', '2026-09-11T16:16:00.000Z'],
] as const
for (const [text, moment] of moments) {
  test(`${text} means ${moment} to a merchant in New York`, () => {
    const parsed = parseMoment(text, zone)
    assert.equal(parsed && printMoment(parsed), moment)
  })
}

for (const [text, moment] of [
  ['2026-09-11', '2026-09-12T04:00:00.000Z'],
  ['2026/11/01', '2026-11-02T05:00:00.000Z'],
  ['11/1/2026', '2026-11-02T05:00:00.000Z'],
  ['2026-09-11T16:16:00', '2026-09-11T20:16:00.000Z'],
  ['2026-09-11T00:00:00Z', '2026-09-11T00:00:00.000Z'],
] as const) {
  test(`what lasts to ${text} ends at ${moment} for a merchant in New York`, () => {
    const end = parseEnd(text, zone)
    assert.equal(end && printMoment(end), moment)
  })
}

test('the last day that can be written ends with the last moment that can', () => {
  const end = parseEnd('9999-12-31', 'UTC')
  assert.equal(end && printMoment(end), '9999-12-31T23:59:59.999Z')
})

const notDates = `
  |tomorrow|2026/02/30|2026/9/11|2026/09/11 16:16|2026/09-11
  |2026-02-30|2026-13-01|13/1/2026|2/30/2026|9/11/26|9/11/2026 13:00 PM|9/11/2026 0:30 AM
  |2026-09-11T25:00:00|/Date()/|2026-9-1|20260911|2026-09-11T16:16:00 EST|2026-09-11T16:16:00+24:00
  |2026-09-11T16:16:00+9900|2026-09-11T16:16:00-05:60|/Date(1789143360000+2400)/|0000-01-01|1/1/0000
  |/Date(999999999999999)/|/Date(-999999999999999)/|`
for (const text of notDates.split('|').map((item) => item.trim())) {
  test(`"${text}" is no date`, () => {
    assert.equal(parseMoment(text, zone), null)
    assert.equal(parseEnd(text, zone), null)
    assert.equal(parseCalendarDate(text), null)
  })
}

// Within a zone, but not in UTC.
for (const text of ['9999-12-31T23:59:59-12:00', '0001-01-01T00:00:00+14:00']) {
  test(`${text} is a day, but no moment that can be kept`, () => {
    assert.equal(parseMoment(text, zone), null)
    assert.ok(parseCalendarDate(text))
  })
}

const dates = [
  ['2026-09-11', '2026-09-11'],
  ['2026/09/11', '2026-09-11'],
  ['2026-09-11T23:59:00-11:00', '2026-09-11'],
  ['9/1/2026 11:00:00 PM', '2026-09-01'],
  ['/Date(1789099200000-0400)/', '2026-09-11'],
] as const
for (const [text, date] of dates) {
  test(`the calendar date of ${text} is ${date}, as written`, () => {
    assert.equal(parseCalendarDate(text)?.toString(), date)
  })
}

test('a calendar date reads back as it was written out', () => {
  const date = Temporal.PlainDate.from('2027-03-14')
  assert.equal(printCalendarDate(date), '2027-03-14T00:00:00.000Z')
  assert.ok(parseCalendarDate(printCalendarDate(date))?.equals(date))
})

const usMoments = [
  ['2027-04-18T07:29:47Z', '4/18/2027 7:29:47 AM'],
  ['2027-04-18T00:00:00Z', '4/18/2027 12:00:00 AM'],
  ['2027-12-01T12:05:00Z', '12/1/2027 12:05:00 PM'],
  ['2027-12-01T23:59:59.999Z', '12/1/2027 11:59:59 PM'],
] as const
for (const [moment, printed] of usMoments) {
  test(`${moment} is told as ${printed}`, () => {
    assert.equal(printUsMoment(Temporal.Instant.from(moment)), printed)
  })
}

test('a time zone is a place, not an offset', () => {
  assert.ok(isTimeZone('America/New_York'))
  assert.ok(isTimeZone('UTC'))
  assert.ok(!isTimeZone('+05:00'))
  assert.ok(!isTimeZone('Mars/Olympus'))
})

test('every date that is given as an example can be read and means the same day', () => {
  const examples = readableDates.replace('such as ', '').split(/, | or /)
  assert.equal(examples.length, 6)
  for (const text of examples) assert.equal(parseCalendarDate(text)?.toString(), '2027-01-31', text)
})

test('the earliest moment is found among those that are known', () => {
  const [first, second] = ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00Z'].map((text) =>
    Temporal.Instant.from(text),
  )
  assert.ok(first && second)
  assert.equal(earliestOf([second, null, first]), first)
  assert.equal(earliestOf([null]), null)
  assert.equal(earliestOf([]), null)
})
