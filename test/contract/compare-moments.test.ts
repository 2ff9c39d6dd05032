import assert from 'node:assert/strict'
import { test } from 'node:test'

const [first, second] = ['2027-01-15T10:00:00Z', '2027-01-15T10:00:01Z'].map((one) =>
  Temporal.Instant.from(one),
)

const different: readonly [what: string, left: unknown, right: unknown][] = [
  ['moments', first, second],
  ['members', { at: first, what: 'a' }, { at: second, what: 'a' }],
  ['lists', [[first]], [[second]]],
  ['maps', new Map([['at', first]]), new Map([['at', second]])],
  ['dates', Temporal.PlainDate.from('2027-01-15'), Temporal.PlainDate.from('2027-01-16')],
]
for (const [what, left, right] of different) {
  test(`a test that compares ${what} fails where they differ`, () => {
    assert.throws(() => assert.deepEqual(left, right), assert.AssertionError)
    assert.throws(() => assert.partialDeepStrictEqual(left, right), assert.AssertionError)
    assert.deepEqual(left, left)
  })
}
