import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { collectionDay, collectionMoment, lastCollectionDay } from '#capabilities/recurring/collection-day.ts'

const zones = [
  'America/New_York',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Nuuk',
] as const

type Row = readonly [zone: (typeof zones)[number], day: string, minute: number, moment: string, why: string]

const table: readonly Row[] = [
  ['America/New_York', '2027-01-15', 180, '2027-01-15T08:00:00Z', 'winter'],
  ['America/New_York', '2027-03-14', 180, '2027-03-14T07:00:00Z', 'the night that loses an hour'],
  ['America/New_York', '2027-03-14', 150, '2027-03-14T07:30:00Z', 'a time that this night leaves out'],
  ['America/New_York', '2027-11-07', 180, '2027-11-07T08:00:00Z', 'the night that gains an hour'],
  ['America/New_York', '2027-11-07', 90, '2027-11-07T05:30:00Z', 'a time that this night has twice'],
  ['America/New_York', '2027-12-31', 180, '2027-12-31T08:00:00Z', 'the last day of a year'],
  ['America/New_York', '2028-02-29', 180, '2028-02-29T08:00:00Z', 'a leap day'],
  ['Europe/Berlin', '2027-03-28', 180, '2027-03-28T01:00:00Z', 'the night that loses an hour'],
  ['Europe/Berlin', '2027-03-28', 150, '2027-03-28T01:30:00Z', 'a time that this night leaves out'],
  ['Europe/Berlin', '2027-10-31', 180, '2027-10-31T02:00:00Z', 'the night that gains an hour'],
  ['Europe/Berlin', '2027-10-31', 150, '2027-10-31T00:30:00Z', 'a time that this night has twice'],
  ['Europe/Berlin', '2028-01-01', 180, '2028-01-01T02:00:00Z', 'the first day of a year'],
  ['Asia/Kolkata', '2027-03-28', 180, '2027-03-27T21:30:00Z', 'a zone without summer time'],
  ['Asia/Kolkata', '2028-02-29', 180, '2028-02-28T21:30:00Z', 'a leap day'],
  ['Australia/Lord_Howe', '2027-04-04', 180, '2027-04-03T16:30:00Z', 'the night that gains half an hour'],
  ['Australia/Lord_Howe', '2027-10-03', 180, '2027-10-02T16:00:00Z', 'the night that loses half an hour'],
  ['Australia/Lord_Howe', '2027-10-03', 135, '2027-10-02T15:45:00Z', 'a time that this night leaves out'],
  ['America/Nuuk', '2027-03-27', 1410, '2027-03-28T01:30:00Z', 'a day that ends at 23:00'],
]

describe('the moment of a daily run', () => {
  for (const [timeZone, day, collectsAtMinute, moment, why] of table) {
    test(`${timeZone} ${day}, minute ${collectsAtMinute}: ${why}`, () => {
      const at = collectionMoment({ timeZone, collectsAtMinute }, Temporal.PlainDate.from(day))
      assert.equal(at.toString(), moment)
    })
  }
})

for (const [timeZone, collectsAtMinute] of zones.flatMap((zone) =>
  [150, 1410].map((at) => [zone, at] as const),
)) {
  test(`in ${timeZone} minute ${collectsAtMinute} of every day has one run, the one after the other`, () => {
    const time = { timeZone, collectsAtMinute }
    let before = collectionMoment(time, Temporal.PlainDate.from('2026-12-31'))
    for (let day = Temporal.PlainDate.from('2027-01-01'); day.year < 2029; day = day.add({ days: 1 })) {
      const at = collectionMoment(time, day)
      assert.ok(Temporal.Instant.compare(before, at) < 0)
      assert.ok(lastCollectionDay(time, at).equals(day), `${day.toString()} is over at its moment`)
      const early = at.subtract({ nanoseconds: 1 })
      assert.ok(lastCollectionDay(time, early).equals(day.subtract({ days: 1 })), 'and not before')
      before = at
    }
  })
}

test('what is scheduled after the run of its day waits for the next one', () => {
  const time = { timeZone: 'America/New_York', collectsAtMinute: 180 }
  const attemptOn = Temporal.PlainDate.from('2027-01-15')
  const dayFor = (scheduledAt: string) =>
    collectionDay(time, { attemptOn, scheduledAt: Temporal.Instant.from(scheduledAt) }).toString()
  assert.equal(dayFor('2027-01-15T07:59:59Z'), '2027-01-15')
  assert.equal(dayFor('2027-01-15T08:00:00Z'), '2027-01-16')
  assert.equal(dayFor('2027-01-10T12:00:00Z'), '2027-01-15')
  assert.equal(dayFor('2027-02-10T12:00:00Z'), '2027-02-11')
})
