import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCalendarDate, readMoment } from '#capabilities/wire/scalars.wire.ts'

function refusal(member: string) {
  const dates = '2027-01-31, 2027/01/31, 2027-01-31T17:30:00Z, 1/31/2027, 1/31/2027 5:30:00 PM'
  const problem = `${member} is not a date that can be read, such as ${dates} or /Date(1801416600000)/`
  return { ok: false, refusal: { kind: 'value_out_of_range', details: { problem } } }
}

test('a date that cannot be read is refused by the name of its member', () => {
  assert.deepEqual(readMoment('soon', { zone: 'UTC', member: 'ExpiresOn' }), refusal('ExpiresOn'))
  assert.deepEqual(readCalendarDate('2027-02-30', 'DueOn'), refusal('DueOn'))
})

test('a moment without a zone is in the zone of the record', () => {
  const read = readMoment('2027-07-01T00:00:00', { zone: 'America/New_York', member: 'ExpiresOn' })
  assert.ok(read.ok)
  assert.equal(read.value.toString(), '2027-07-01T04:00:00Z')
})
