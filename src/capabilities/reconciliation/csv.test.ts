import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvCell, csvLine } from '#capabilities/reconciliation/csv.ts'

const cells: readonly (readonly [string, string])[] = [
  ['plain', 'plain'],
  ['-12.50', '-12.50'],
  ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['+1+1', `'+1+1`],
  ['-1+1', `'-1+1`],
  ['@sum', `'@sum`],
  ['a,b', '"a,b"'],
  ['two\nlines', '"two\nlines"'],
]

for (const [value, expected] of cells) {
  test(`${JSON.stringify(value)} is written as ${JSON.stringify(expected)}`, () => {
    assert.equal(csvCell(value), expected)
  })
}

test('a line ends as spreadsheets expect', () => {
  assert.equal(csvLine(['1', 'x,y']), '1,"x,y"\r\n')
})
