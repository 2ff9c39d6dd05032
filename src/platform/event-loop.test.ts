import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lateness } from '#platform/event-loop.ts'

for (const [sentence, { seconds, current, told }] of [
  ['one stall turns nobody away', { seconds: [0, 900, 0], current: [0, 0, 0], told: [] }],
  ['not even the first second of a process', { seconds: [900, 0], current: [0, 0], told: [] }],
  [
    'two late seconds in a row count, until one is not late',
    { seconds: [250, 300, 400, 10], current: [0, 250, 300, 10], told: [true, false] },
  ],
  ['exactly at the limit is in time', { seconds: [200, 200, 201], current: [0, 200, 200], told: [] }],
] as const) {
  test(`how late the gateway is: ${sentence}`, () => {
    const heard: boolean[] = []
    const lateness = new Lateness({ msMax: 200, tell: (isLate) => heard.push(isLate) })
    const seen = seconds.map((delayMs) => {
      lateness.add(delayMs)
      return lateness.current
    })
    assert.deepEqual(seen, current)
    assert.deepEqual(heard, told)
  })
}
