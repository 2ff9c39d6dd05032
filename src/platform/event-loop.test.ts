import assert from 'node:assert/strict'
import { createHistogram } from 'node:perf_hooks'
import { test } from 'node:test'
import { Lateness, watchEventLoop } from '#platform/event-loop.ts'

function listening() {
  const heard: string[] = []
  const lateness = new Lateness({
    msMax: 200,
    onLate: (delayMs) => heard.push(`late by ${delayMs}`),
    onTime: () => heard.push('in time'),
  })
  return { heard, lateness }
}

for (const [sentence, { seconds, current, told }] of [
  ['one stall turns nobody away', { seconds: [0, 900, 0], current: [0, 0, 0], told: [] }],
  ['not even the first second of a process', { seconds: [900, 0], current: [0, 0], told: [] }],
  [
    'two late seconds in a row count, until two are not late',
    { seconds: [250, 300, 400, 10, 20], current: [0, 250, 300, 300, 20], told: ['late by 250', 'in time'] },
  ],
  [
    'two of three count as well',
    { seconds: [900, 0, 900, 0], current: [0, 0, 900, 0], told: ['late by 900', 'in time'] },
  ],
  ['exactly at the limit is in time', { seconds: [200, 200, 201], current: [0, 200, 200], told: [] }],
] as const) {
  test(`how late the gateway is: ${sentence}`, () => {
    const { heard, lateness } = listening()
    const seen = seconds.map((delayMs) => {
      lateness.add(delayMs)
      return lateness.current
    })
    assert.deepEqual(seen, current)
    assert.deepEqual(heard, told)
  })
}

test('every second is judged by itself, by how late its latest hundredth was', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { lateness } = listening()
  const seen = t.mock.method(lateness, 'add', () => undefined)
  const histogram = Object.assign(createHistogram(), { enable: () => true, disable: () => true })
  const stop = watchEventLoop(lateness, histogram)
  const pass = (samplesMs: readonly number[]) => {
    for (const ms of samplesMs) histogram.record(ms * 1_000_000)
    t.mock.timers.tick(1_000)
  }
  pass([...Array<number>(98).fill(10), 260, 410])
  pass([12, 11])
  stop()
  pass([900])
  assert.deepEqual(
    seen.mock.calls.map(({ arguments: [delayMs] }) => delayMs),
    [250, 2],
  )
})
