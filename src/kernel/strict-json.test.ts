import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readStrictJson } from '#kernel/strict-json.ts'

const refused = [
  ['', 'the body is empty'],
  [' \n', 'the body is empty'],
  ['{', 'the body is no JSON'],
  ['{"a":1,}', 'the body is no JSON'],
  ['{"a":1,"a":1}', 'it names "a" twice'],
  ['{"a":1,"\\u0061":2}', 'it names "a" twice'],
  ['{"x":{"y":1,"z":2,"y":3}}', 'it names "y" twice'],
  ['{"a\\"":1,"a\\"" : 2}', 'it names "a\\"" twice'],
  ['{"__proto__":1,"__proto__":1}', 'it names "__proto__" twice'],
  [`${'['.repeat(33)}${']'.repeat(33)}`, 'it nests deeper than 32 levels'],
  [`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, 'it nests deeper than 32 levels'],
  ['{"a":1234567890123456}', 'the number in "a" has more than 15 digits'],
  ['{"a":{"b": [1, 4111111111111111]}}', 'the number in "b" has more than 15 digits'],
  ['{"a":10.10000000000000001}', 'the number in "a" has more than 15 digits'],
  ['[4111111111111111]', 'a number has more than 15 digits'],
  ['4111111111111111', 'a number has more than 15 digits'],
  ['{"a":1,"b":\n\t-1234567890123456}', 'the number in "b" has more than 15 digits'],
  ['{"a":[1,\r\n 0.1000000000000000055]}', 'the number in "a" has more than 15 digits'],
  ['{"a":1e400}', 'the number in "a" is too large'],
  ['{"a":1e-400}', 'the number in "a" is too small'],
  ['{"a":{"b":[0, -2.5E-999]}}', 'the number in "b" is too small'],
  ['1e-400', 'a number is too small'],
  [`{"a":0.${'0'.repeat(400)}1}`, 'the number in "a" is too small'],
] as const
for (const [text, problem] of refused) {
  test(`${text.slice(0, 40) || 'nothing at all'} is refused: ${problem}`, () => {
    assert.deepEqual(readStrictJson(text), { ok: false, problem })
  })
}

const accepted = [
  '{"a":{"b":1},"b":[{"a":1},{"a":2}]}',
  '{"a":"{\\"a\\":1,\\"a\\":1}"}',
  '["a","a"]',
  '{"a":"1234567890123456789"}',
  '{"a":0.000000000000000001}',
  '{"a":999999999999999}',
  '{"a":1e-100,"b":0e-400,"c":-0.0}',
  `${'['.repeat(32)}${']'.repeat(32)}`,
]
for (const text of accepted) {
  test(`${text.slice(0, 40)} is read as it stands`, () => {
    assert.deepEqual(readStrictJson(text), { ok: true, value: JSON.parse(text) })
  })
}

test('whatever JSON.stringify writes within the limits is read back the same', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const text = JSON.stringify(value)
      const read = readStrictJson(text)
      if (read.ok) assert.deepEqual(read.value, JSON.parse(text))
      else assert.match(read.problem, /more than 15 digits|too large/)
    }),
    { numRuns: 2_000 },
  )
})

test('a hundred thousand levels are refused without a crash', () => {
  assert.equal(readStrictJson('['.repeat(100_000)).ok, false)
  assert.equal(readStrictJson('['.repeat(100_000) + ']'.repeat(100_000)).ok, false)
})
