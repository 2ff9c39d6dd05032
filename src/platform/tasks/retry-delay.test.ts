import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryDelayMs } from '#platform/tasks/retry-delay.ts'

for (const [tries, random, delayMs] of [
  [1, 0, 500],
  [1, 0.5, 750],
  [1, 0.999, 1_000],
  [2, 0, 1_000],
  [2, 0.999, 1_999],
  [5, 0, 8_000],
  [12, 0, 1_024_000],
  [13, 0, 1_800_000],
  [13, 0.999, 3_598_200],
  [2_000, 0, 1_800_000],
] as const) {
  test(`after try ${tries} with chance ${random}, waits ${delayMs} ms`, () => {
    assert.equal(retryDelayMs(tries, random), delayMs)
  })
}
