import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import smpp from 'smpp'
import { countParts, splitText } from '#capabilities/messages/split-text.ts'

test('a text of 160 characters goes as one, one of 161 as two with 153 in the first', () => {
  assert.deepEqual(lengthsOf('a'.repeat(160)), [160])
  assert.deepEqual(lengthsOf('a'.repeat(161)), [6 + 153, 6 + 8])
  assert.equal(countParts('a'.repeat(306)), 2)
  assert.equal(countParts('a'.repeat(307)), 3)
})

test('characters that phones write with an escape count twice and are never cut', () => {
  assert.deepEqual(lengthsOf('€'.repeat(80)), [160])
  assert.deepEqual(lengthsOf('€'.repeat(81)), [6 + 152, 6 + 10])
  const { parts } = splitText('€'.repeat(81), 7n)
  assert(parts.every((part) => part.at(-1) === 0x65))
})

test('other scripts travel as UCS-2: 70 alone, 67 joined, and no pair is cut', () => {
  assert.equal(splitText('Ж', 1n).coding, 8)
  assert.deepEqual(lengthsOf('Ж'.repeat(70)), [140])
  assert.deepEqual(lengthsOf('Ж'.repeat(71)), [6 + 134, 6 + 8])
  // 66 and a pair are 68: the pair moves to the next part.
  assert.deepEqual(lengthsOf(`${'Ж'.repeat(66)}😀${'Ж'.repeat(10)}`), [6 + 132, 6 + 4 + 20])
})

test('all parts carry one reference, their count and their number', () => {
  const { parts } = splitText('a'.repeat(400), 513n)
  assert.deepEqual(
    parts.map((part) => [...part.subarray(0, 6)]),
    [1, 2, 3].map((number) => [5, 0, 3, 1, 3, number]),
  )
})

test('an empty text is one part, and an escape of the phones is no character of theirs', () => {
  assert.deepEqual(lengthsOf(''), [0])
  assert.equal(splitText('\u001b', 1n).coding, 8)
})

// By the decoder of the smpp package, which is not ours.
test('whatever is written is read again, whole and in order', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 500 }),
    fc.string({ unit: fc.constantFrom(...Array.from('aZ09 @£€[]{}^~|\\ñüÄ\n')), maxLength: 700 }),
  )
  fc.assert(
    fc.property(anyText, (text) => {
      const { coding, parts } = splitText(text, 42n)
      const decoder = smpp.encodings[coding === 0 ? 'ASCII' : 'UCS2']
      const bodies = parts.length === 1 ? parts : parts.map((part) => part.subarray(6))
      assert.equal(bodies.map((body) => decoder?.decode(Buffer.from(body))).join(''), text.toWellFormed())
      assert(parts.every(({ length }) => length <= (coding === 0 ? 160 : 140)))
    }),
    { numRuns: 60 },
  )
})

function lengthsOf(text: string): readonly number[] {
  return splitText(text, 1n).parts.map(({ length }) => length)
}
