import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateIn } from '#engine/merchants/business-date.ts'

// Asked one after the other, because the last answer of a zone is remembered.
const asked: readonly (readonly [string, string, string])[] = [
  ['America/New_York', '2027-01-16T04:59:59.999Z', '2027-01-15'],
  ['America/New_York', '2027-01-16T05:00:00Z', '2027-01-16'],
  ['Asia/Kathmandu', '2027-01-15T18:14:59.999Z', '2027-01-15'],
  ['Asia/Kathmandu', '2027-01-15T18:15:00Z', '2027-01-16'],
  ['America/New_York', '2027-01-16T05:00:59.999Z', '2027-01-16'],
  ['America/New_York', '2027-01-16T04:59:00Z', '2027-01-15'],
  ['America/New_York', '2028-01-16T04:59:00Z', '2028-01-15'],
  ['UTC', '1969-12-31T23:59:59.999Z', '1969-12-31'],
  ['UTC', '1970-01-01T00:00:00Z', '1970-01-01'],
]
test('the date of a record changes with midnight in its zone, whatever was asked before', () => {
  for (const [zone, moment, date] of asked)
    assert.equal(dateIn(zone, Temporal.Instant.from(moment)).toString(), date, `${zone} at ${moment}`)
})
