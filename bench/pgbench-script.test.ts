import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { evaluate, parseScript, type Variables } from './pgbench-script.ts'

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'baseline', name), 'utf8')
const kindsOf = (name: string) => parseScript(read(name)).map(({ kind }) => kind)

test('the frozen scripts are read whole: the naive charge has eleven statements, the folded one two', () => {
  assert.equal(kindsOf('naive.sql').filter((kind) => kind === 'sql').length, 11)
  assert.equal(kindsOf('folded.sql').filter((kind) => kind === 'sql').length, 2)
  assert.equal(kindsOf('folded.sql').filter((kind) => kind === 'set').length, 6)
})

test('every mention of a variable becomes a parameter, and a cast does not', () => {
  const [step] = parseScript("select :c::text, 'R'||:r, :c \\gset")
  assert.deepEqual(step, {
    kind: 'sql',
    text: "select $1::text, 'R'||$2, $3",
    parameters: ['c', 'r', 'c'],
    keepsRow: true,
  })
})

test('expressions are counted as pgbench counts: products first, whole numbers', () => {
  const variables: Variables = new Map<string, bigint | string>([
    ['amt', 999n],
    ['fee_bps', '150'],
    ['fee_fixed', '30'],
  ])
  const count = (expression: string) => evaluate(expression, variables, () => 0.5)
  assert.equal(count(':amt * :fee_bps / 10000 + :fee_fixed'), 44n)
  assert.equal(count('0 - :amt'), -999n)
  assert.equal(count('random(1,:amt)'), 500n)
})
