import assert from 'node:assert/strict'
import { test } from 'node:test'

import { blank, lex } from './lexer.ts'

const kindsOf = (text: string) => lex(text).map(({ kind, text: piece }) => `${kind} ${piece}`)

const cases: readonly (readonly [sentence: string, text: string, tokens: readonly string[]])[] = [
  ['a slash after a name divides', 'a / b / c', ['word a', 'mark /', 'word b', 'mark /', 'word c']],
  ['a slash after return opens a regex', 'return /[/"]/g', ['word return', 'regex /[/"]/g']],
  ['a slash after a bracket divides', '(a) / 2', ['mark (', 'word a', 'mark )', 'mark /', 'number 2']],
  ['a quote inside a comment opens no string', "// don't\nx", ["comment // don't", 'word x']],
  ['two slashes inside a string open no comment', "'http://x' y", ["string 'http://x'", 'word y']],
  ['an escaped quote ends no string', String.raw`'it\'s' x`, [String.raw`string 'it\'s'`, 'word x']],
  [
    'a template inside a template is followed to its end',
    '`a ${ { b: `c ${d}` } } e` f',
    ['template `a ${', 'mark {', 'word b', 'mark :', 'template `c ${', 'word d', 'template }`'].concat([
      'mark }',
      'template } e`',
      'word f',
    ]),
  ],
  ['a private name is one word', '#secret?.x', ['word #secret', 'mark ?.', 'word x']],
  ['an arrow is one mark', '() => 1.5e-3', ['mark (', 'mark )', 'mark =>', 'number 1.5e-3']],
]

for (const [sentence, text, tokens] of cases) {
  test(sentence, () => assert.deepEqual(kindsOf(text), tokens))
}

test('tokens know the lines they start and end on', () => {
  const lines = lex('a\n/* b\n*/ `c\nd`\n\ne').map(({ line, lineEnd }) => [line, lineEnd])
  assert.deepEqual(lines, [
    [1, 1],
    [2, 3],
    [3, 4],
    [6, 6],
  ])
})

test('blanking keeps every offset and line', () => {
  const file = { path: 'a.ts', text: "x // one\n'two' + `three\n${four}`\n" }
  assert.equal(blank(file, ['comment', 'string', 'template']), 'x       \n      +       \n  four  \n')
})
