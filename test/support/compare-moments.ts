import assert from 'node:assert/strict'

// To Node's deepEqual all moments are alike, because it compares members and a moment has none of its own: a
// test that compares them could not fail. Here they are compared as they print.

const moments = [
  Temporal.Instant,
  Temporal.ZonedDateTime,
  Temporal.PlainDate,
  Temporal.PlainTime,
  Temporal.PlainDateTime,
  Temporal.Duration,
]

export function compareMoments(): void {
  for (const name of ['deepEqual', 'deepStrictEqual', 'partialDeepStrictEqual'] as const) {
    const compare = assert[name].bind(assert)
    const comparing = (actual: unknown, expected: unknown, ...said: readonly unknown[]): void => {
      // As they are first, so that a difference elsewhere is shown as usual.
      Reflect.apply(compare, assert, [actual, expected, ...said])
      Reflect.apply(compare, assert, [spelledOut(actual), spelledOut(expected), ...said])
    }
    Object.assign(assert, { [name]: comparing })
  }
}

function spelledOut(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const moment = moments.find((kind) => value instanceof kind)
  if (moment) return `${moment.name} ${JSON.stringify(value)}`
  if (Array.isArray(value)) return value.map(spelledOut)
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, spelledOut(one)]))
  const isPlain = Object.getPrototypeOf(value) === Object.prototype
  return isPlain ? Object.fromEntries(Object.entries(value).map(([k, one]) => [k, spelledOut(one)])) : value
}
