import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseExpression } from '#capabilities/search/parse-expression.ts'
import { printExpression } from '#capabilities/search/print-expression.ts'
import type { Characters } from '#capabilities/search/tokenize.ts'
import { count } from '../../../test/support/counts.ts'
import { anyExpression, withoutColumns } from '../../../test/support/expressions.ts'

const runs = { numRuns: count({ full: 100_000, usual: 2_000 }) }

function canonical(text: string): string {
  const parsed = parseExpression(text)
  assert(parsed.ok, parsed.ok ? '' : JSON.stringify(parsed.refusal.details))
  return printExpression(parsed.value)
}

test('what is printed reads back as the same expression, and prints the same again', () => {
  fc.assert(
    fc.property(anyExpression, (expression) => {
      const printed = printExpression(expression)
      const parsed = parseExpression(printed)
      assert(parsed.ok)
      assert.deepEqual(withoutColumns(parsed.value), expression)
      assert.equal(printExpression(parsed.value), printed)
    }),
    runs,
  )
})

test('blanks around tokens and needless parentheses change nothing', () => {
  fc.assert(
    fc.property(anyExpression, fc.nat(3), (expression, blanks) => {
      const printed = printExpression(expression)
      const loose = `${' '.repeat(blanks)}( ${printed} )${' '.repeat(blanks)}`
      assert.equal(canonical(loose), printed)
    }),
    runs,
  )
})

const written: readonly [string, string][] = [
  [' ( a = 1 ) ', '(A=1)'],
  ["(D LIKE '%son')", "(D LIKE '%son')"],
  ["(dlike'Sm%')", "(D LIKE 'Sm%')"],
  ['((A=1)&&(B=2))&&(C=3)', '(A=1)&&(B=2)&&(C=3)'],
  ['(A=1)||(B=2)&&(C=3)', '(A=1)||(B=2)&&(C=3)'],
  ['((A=1)||(B=2))&&(C=3)', '((A=1)||(B=2))&&(C=3)'],
  ["(D='O''Hara')", "(D='O''Hara')"],
  ["(D='')", "(D='')"],
  ['(L<=-10.50)', '(L<=-10.50)'],
]
for (const [text, expected] of written) {
  test(`${text} is read as ${expected}`, () => assert.equal(canonical(text), expected))
}

const value = 'a number, or a text or date in single quotes'
const endOfTerm = "')' (texts and dates stand in single quotes, and a quote in them is doubled)"
const faults: readonly [string, number, string, string][] = [
  ['', 1, "'('", 'the end'],
  ['A=1', 1, "'('", "'A'"],
  ['()', 2, "a letter or '('", "')'"],
  ['(A)', 3, 'one of = <> < <= > >= LIKE', "')'"],
  ['(A!=1)', 3, 'one of = <> < <= > >= LIKE', "'!'"],
  ['(A=)', 4, value, "')'"],
  ['(D=Smith)', 4, value, "'S'"],
  ["(D='Smith)", 4, value, 'a text without closing quote'],
  ["(D='O'Hara')", 7, endOfTerm, "'H'"],
  ['(C=1/1/2027)', 5, endOfTerm, "'/'"],
  ['(A=1.)', 5, endOfTerm, "'.'"],
  ['(A=--1)', 4, value, "'-'"],
  ['(A=1)(B=2)', 6, "'&&', '||' or the end", "'('"],
  ['(A=1)&(B=2)', 6, "'&&', '||' or the end", "'&'"],
  ['(A=1)&&', 8, "'('", 'the end'],
  ['((A=1)', 7, "'&&', '||' or ')'", 'the end'],
  ['((A=1) (B=2))', 8, "'&&', '||' or ')'", "'('"],
  ["(D='👍') x", 9, "'&&', '||' or the end", "'X'"],
  ['(👍=1)', 2, "a letter or '('", "'👍'"],
]
for (const [text, column, expected, found] of faults) {
  test(`${text || 'nothing'} is faulty at column ${column}: expected ${expected}`, () => {
    const parsed = parseExpression(text)
    assert(!parsed.ok)
    assert.deepEqual(parsed.refusal, { kind: 'query_unreadable', details: { column, expected, found } })
  })
}

test('a fault never repeats a value, which may be what nobody should see', () => {
  for (const text of ["(A=1)'4111111111111111'", '(A=1)4111111111111111', "(A '4111111111111111')"]) {
    const parsed = parseExpression(text)
    assert(!parsed.ok)
    assert.doesNotMatch(JSON.stringify(parsed.refusal), /1111/)
  }
})

const tooMuch: readonly [string, string, string, string][] = [
  ['64 terms', Array(64).fill('(A=1)').join('||'), Array(65).fill('(A=1)').join('||'), 'terms'],
  ['16 parentheses', nested(16), nested(17), 'nested parentheses'],
  ['4,096 characters', `(D='${'x'.repeat(4_090)}')`, `(D='${'x'.repeat(4_091)}')`, 'characters'],
]
for (const [what, most, more, named] of tooMuch) {
  test(`${what} are read, one more is refused`, () => {
    assert(parseExpression(most).ok)
    const parsed = parseExpression(more)
    assert(!parsed.ok)
    assert.equal(parsed.refusal.kind, 'query_too_complex')
    assert.equal(parsed.refusal.details['what'], named)
  })
}

function nested(depth: number): string {
  return `${'('.repeat(depth)}A=1${')'.repeat(depth)}`
}

// Counts every character that is looked at.
function counted(text: string): Characters & { readonly looks: () => number } {
  let looks = 0
  const note = (seen: string) => {
    looks += Math.max(1, seen.length)
    return seen
  }
  return {
    length: text.length,
    charAt: (at) => note(text.charAt(at)),
    slice: (from, to) => note(text.slice(from, to)),
    looks: () => looks,
  }
}

const hostile: readonly [string, (size: number) => string][] = [
  ['open parentheses', (size) => '('.repeat(size)],
  ['quotes', (size) => `(D='${"'".repeat(size)}`],
  ['doubled quotes in one text', (size) => `(D='${"''".repeat(size)}')`],
  ['digits', (size) => `(A=${'9'.repeat(size)})`],
  ['blanks', (size) => `(A=${' '.repeat(size)}1)`],
  ['letters', (size) => 'LIK'.repeat(size)],
  ['half operators', (size) => '<&|'.repeat(size)],
  ['terms', (size) => '(A=1)&&'.repeat(size)],
  ['dashes', (size) => '-'.repeat(size)],
  ['emojis', (size) => '👍'.repeat(size)],
]
for (const [what, make] of hostile) {
  test(`reading ${what} takes steps in proportion to their number`, () => {
    for (const size of [10, 100, 500]) {
      const source = counted(make(size))
      parseExpression(source)
      const { length } = make(size)
      assert.ok(source.looks() <= 12 * length + 100, `${source.looks()} looks at ${length} characters`)
    }
  })
}
