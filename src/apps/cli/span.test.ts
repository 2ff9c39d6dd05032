import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginOf, refuseBackwards } from '#apps/cli/span.ts'

for (const [from, to] of [
  ['2027-01-31', '2027-01-31'],
  ['2027-01-31T17:30:00Z', '2027-01-31'],
  ['2027-01-31T23:59:59Z', '1/31/2027'],
  ['2027-01-31T17:30:00Z', '2027-01-31T17:30:00Z'],
  ['2027-01-31', '2027-02-01T00:00:00Z'],
] as const) {
  test(`from ${from} to ${to} is a time`, () => refuseBackwards(from, to))
}

for (const [from, to] of [
  ['2027-02-01', '2027-01-31'],
  ['2027-02-01T00:00:00Z', '2027-01-31'],
  ['2027-01-31T17:30:00Z', '2027-01-31T17:29:59Z'],
  ['2027-01-31', '2027-01-30T23:59:59Z'],
] as const) {
  test(`from ${from} to ${to} runs backwards`, () => {
    assert.throws(() => refuseBackwards(from, to), { message: '--from lies after --to.' })
  })
}

test('a moment that names no zone is one in UTC, wherever the command is given', (t) => {
  const { TZ: zone } = process.env
  t.after(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })
  process.env['TZ'] = 'America/New_York'
  assert.equal(beginOf('2027-01-31T17:30:00').toString(), '2027-01-31T17:30:00Z')
})
