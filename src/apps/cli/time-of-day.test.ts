import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minuteFrom, timeText } from '#apps/cli/time-of-day.ts'

for (const [text, minutes, told] of [
  ['0:00', 0, '00:00'],
  ['9:05', 545, '09:05'],
  ['09:05', 545, '09:05'],
  ['23:59', 1_439, '23:59'],
] as const) {
  test(`${text} is a time of day, told as ${told}`, () => {
    assert.equal(minuteFrom(text), minutes)
    assert.equal(timeText(minutes), told)
  })
}

for (const text of ['', '9', '9:5', '24:00', '12:60', '-1:00', '09:05:00', ' 9:05', '9.05']) {
  test(`"${text}" is no time of day`, () => {
    assert.throws(() => minuteFrom(text), /is no time of day such as 23:30/)
  })
}
