import assert from 'node:assert/strict'
import { test } from 'node:test'

import { importsOf } from './imports.ts'

const read = (text: string) =>
  importsOf({ path: 'src/engine/fees/quote.ts', text }).map(({ target, specifier, isTypeOnly }) => [
    target ?? specifier,
    isTypeOnly ? 'type' : 'value',
  ])

const cases: readonly (readonly [text: string, target: string, kind: 'type' | 'value'])[] = [
  ["import { a } from '#kernel/money.ts'", 'src/kernel/money.ts', 'value'],
  ["import { a, type B } from '#kernel/money.ts'", 'src/kernel/money.ts', 'value'],
  ["import type { A } from '#kernel/money.ts'", 'src/kernel/money.ts', 'type'],
  ["import type A from 'typebox'", 'typebox', 'type'],
  ["import type from 'typebox'", 'typebox', 'value'],
  ["import * as all from '../ledger/post.ts'", 'src/engine/ledger/post.ts', 'value'],
  ["import './rule.ts'", 'src/engine/fees/rule.ts', 'value'],
  ["export { a } from './rule.ts'", 'src/engine/fees/rule.ts', 'value'],
  ["export type { A } from './rule.ts'", 'src/engine/fees/rule.ts', 'type'],
  ["export * from './rule.ts'", 'src/engine/fees/rule.ts', 'value'],
  ["const later = await import('node:fs')", 'node:fs', 'value'],
  ["const { request } = process.getBuiltinModule('node:http')", 'node:http', 'value'],
]

for (const [text, target, kind] of cases) {
  test(`${text} is an import of ${target} by ${kind}`, () => assert.deepEqual(read(text), [[target, kind]]))
}

test('what only looks like an import is none', () => {
  const text = `
    // import { a } from 'b'
    const text = "import { a } from 'b'"
    const here = import.meta.dirname
    export { text }
    const from = 'c'
    export const shape = { from: 'd' }`
  assert.deepEqual(read(text), [])
})
