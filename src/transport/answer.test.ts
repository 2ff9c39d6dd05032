import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorName } from '#capabilities/wire/error-codes.ts'
import { refuse } from '#kernel/result.ts'
import { refusedBeforeCall } from '#transport/answer.ts'

const cases: readonly (readonly [ErrorName, Record<string, number>, string | undefined])[] = [
  ['busy', {}, '1'],
  ['key_running', {}, '1'],
  ['rate_limited', { seconds: 7 }, '7'],
  ['session_invalid', {}, undefined],
]
for (const [error, details, seconds] of cases) {
  const hint = seconds === undefined ? 'is not told to try again' : `may try again after ${seconds} s`
  test(`whoever is refused as ${error} ${hint}`, () => {
    const { notes } = refusedBeforeCall(null, refuse(error, details).refusal)
    assert.equal(notes['Retry-After'], seconds)
  })
}
