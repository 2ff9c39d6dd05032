import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alarmsFor, type Backlog } from '#engine/payments/backlog.ts'
import { soundAlarms } from '#engine/payments/watch-backlog.operation.ts'
import { statement } from '#platform/postgres/statement.ts'
import { charge, impatient, makeCallerOf, makeConsent } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const now = Temporal.Instant.from('2027-01-15T10:00:00Z')
const none: Backlog = { unknown: 0, oldestUnknownAt: null, reversing: 0, late: 0, manual: 0 }
const ago = (minutes: number) => now.subtract({ minutes })

const table: readonly (readonly [string, Partial<Backlog>, readonly string[]])[] = [
  ['nothing open', {}, []],
  ['a few young ones', { unknown: 10, oldestUnknownAt: ago(15), reversing: 40, late: 2 }, []],
  ['one for more than 15 minutes', { unknown: 1, oldestUnknownAt: ago(16) }, ['unknown_long']],
  ['more than ten', { unknown: 11, oldestUnknownAt: ago(1) }, ['unknown_many']],
  ['one for an operator', { manual: 1 }, ['manual_1']],
  [
    'all of it',
    { unknown: 11, oldestUnknownAt: ago(16), manual: 3 },
    ['unknown_long', 'unknown_many', 'manual_3'],
  ],
]
for (const [sentence, backlog, names] of table) {
  test(`${sentence}: ${names.length} alarms`, () => {
    const alarms = alarmsFor({ ...none, ...backlog }, now)
    assert.deepEqual(
      alarms.map(({ name }) => name),
      names,
    )
  })
}

const world = useWorld()
const forget = statement('test_forget_unresolved', [], {}, 'delete from unresolved_attempt')

test('an alarm is told when it begins and when it is over, not every two seconds', async () => {
  const needs = impatient(world())
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  const lost = { losesAnswer: true, hangsUp: true }
  for (const verb of ['authorize', 'inquire'] as const) needs.bank.faults.add({ verb, delivery: lost })
  await charge(needs, caller, consent, { Amounts: 5 })
  const before = needs.lines.length
  let ringing = await soundAlarms(needs, [])
  assert.deepEqual(ringing, [])
  needs.clock.advance({ minutes: 16 })
  for (let look = 0; look < 3; look += 1) ringing = await soundAlarms(needs, ringing)
  const begun = needs.lines.slice(before)
  assert.equal(begun.length, 1)
  assert.match(begun[0]?.text ?? '', /unknown for more than 15 minutes/)
  assert.partialDeepStrictEqual(begun[0]?.fields, { unknown: 1, alarm: 'unknown_long' })
  await needs.db.run(forget, [])
  for (let look = 0; look < 3; look += 1) ringing = await soundAlarms(needs, ringing)
  assert.deepEqual(
    needs.lines.slice(before + 1).map(({ text }) => text),
    ['No attempt needs anybody any more'],
  )
})
