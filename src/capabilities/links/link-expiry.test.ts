import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expiryOf } from '#capabilities/links/link-expiry.ts'

const timeZone = 'America/New_York'
const now = Temporal.Instant.from('2026-11-19T22:00:00Z')
const names = { dueOn: 'DueOn', expiresOn: 'ExpiresOn' }

for (const [what, dueOn, expiresOn, found] of [
  ['without either, 30 days', null, '', '2026-12-19T22:00:00Z'],
  ['due within 30 days, 30 days', '2026-12-01', '', '2026-12-19T22:00:00Z'],
  ['due later, through that day at the merchant', '2027-01-31', '', '2027-02-01T04:59:59Z'],
  ['overdue, 30 days', '2026-11-01', '', '2026-12-19T22:00:00Z'],
  ['by a date, through that day', null, '2026-12-01', '2026-12-02T04:59:59Z'],
  ['by the date on which it is due', '2026-12-01', '2026-12-01', '2026-12-02T04:59:59Z'],
  ['by a moment of the day on which it is due', '2026-12-01', '2026-12-01T09:00:00', '2026-12-01T14:00:00Z'],
  ['by a date before', '2026-12-01', '2026-11-30', 'ExpiresOn lies before DueOn'],
  ['by a moment before', '2026-12-01', '2026-12-01T04:59:59Z', 'ExpiresOn lies before DueOn'],
  ['due in a year 9999', '9999-12-31', '', 'DueOn lies more than 100 years ahead'],
] as const) {
  test(`a link is never due after it expires: ${what}`, () => {
    const due = dueOn === null ? null : Temporal.PlainDate.from(dueOn)
    const expiry = expiryOf({ dueOn: due, expiresOn, names }, { now, timeZone })
    assert.equal(expiry.ok ? expiry.value.toString() : expiry.refusal.details['problem'], found)
  })
}
