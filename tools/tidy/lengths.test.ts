import assert from 'node:assert/strict'
import { test } from 'node:test'

import { functionsOf } from './functions.ts'
import { checkLengths } from './lengths.ts'
import { testRule } from './rule-cases.ts'

const lines = (count: number, line = '  work()') => Array.from({ length: count }, () => line).join('\n')
const wrap = (head: string, count: number, foot = '}') => `${head}\n${lines(count - 2)}\n${foot}\n`
const load = (rest: number) =>
  `function load() {\n  run(statement('a', \`${lines(400, 'a,')}\`))\n${lines(rest)}\n}`
const long = 'a '.repeat(60)

const heads: readonly (readonly [head: string, foot?: string])[] = [
  ['export async function charge(a: string): Promise<{ a: string }> {'],
  ['function charge<T extends { a: string }>(a: T): T extends string ? { b: 1 } : T {'],
  ['const charge = async (a: string): Promise<Map<string, number>> => {'],
  ["test('charges', async () => {", '})'],
  ['const charge = function (a: string) {'],
  ['const needs = { async charge(a: string): Promise<void> {', '} }'],
  ['class Pool { #charge() {', '} }'],
  ['class Pool { get [Symbol.toStringTag](): string | undefined {', '} }'],
  ['const text = `${list.map((one) => {', '})}`'],
]

testRule(checkLengths, [
  ...heads.map(([head, foot]) => ({
    sentence: `a function of 61 lines is a breach: ${head}`,
    files: { 'src/kernel/a.ts': wrap(head, 61, foot) },
    says: [/a.ts:1 .*has 61 lines, at most 60/],
  })),
  ...heads.map(([head, foot]) => ({
    sentence: `a function of 60 lines is fine: ${head}`,
    files: { 'src/kernel/a.ts': wrap(head, 60, foot) },
  })),
  {
    sentence: 'parameters count as lines of their function',
    files: { 'src/kernel/a.ts': wrap('const charge = async (\n  a: string,\n): Promise<void> => {', 58) },
    says: [],
  },
  {
    sentence: 'long parameters make a long function',
    files: { 'src/kernel/a.ts': wrap('const charge = async (\n  a: string,\n): Promise<void> => {', 59) },
    says: [/function 'charge' has 61 lines/],
  },
  {
    sentence: 'a list of tests may be long, objects, types and classes too',
    files: {
      'test/a.test.ts': wrap("describe('charging', () => {", 100, '})'),
      'test/b.test.ts': wrap("suite('charging', async () => {", 100, '})'),
      'src/kernel/a.ts': wrap('const x = {', 100).replaceAll('work()', 'a: 1,'),
      'src/kernel/b.ts': wrap('class Pool extends mixin(Base) {', 100).replaceAll('work()', 'a = 1'),
      'src/kernel/c.ts': wrap('const x = isOdd ? of(a) : {', 100).replaceAll('work()', 'a: 1,'),
    },
  },
  {
    sentence: 'a file of 301 lines is a breach, one of 300 is fine',
    files: { 'src/kernel/a.ts': lines(301), 'bin/b.cjs': lines(300), 'docs/c.md': lines(900) },
    says: [/a.ts:1 .*has 301 lines, at most 300/],
  },
  {
    sentence: 'SQL text counts neither for the file nor for a function',
    files: {
      'src/kernel/a.store.ts': load(57),
    },
  },
  {
    sentence: 'what stands beside SQL counts',
    files: {
      'src/kernel/a.store.ts': load(58),
    },
    says: [/function 'load' has 61 lines/],
  },
  {
    sentence: 'other templates count',
    files: { 'src/kernel/a.ts': `const a = () => {\n  const b = \`${lines(60, 'a')}\`\n}` },
    says: [/function 'a' has 62 lines/],
  },
  {
    sentence: 'a wide line is a breach, in SQL too',
    files: { 'src/kernel/a.store.ts': `// ${long}\nconst a = statement('a', \`\n  ${long}\`)` },
    says: [/a.store.ts:1 .*wider than 110/, /a.store.ts:3 .*wider than 110/],
  },
  {
    sentence: 'what cannot be broken may be wide',
    files: {
      'src/kernel/a.ts': [
        `  '${long}',`,
        `// https://example.org/${'a'.repeat(110)}`,
        `import { a } from '#kernel/${'a'.repeat(110)}.ts'`,
        'é'.repeat(110),
      ].join('\n'),
      'docs/a.md': long,
    },
  },
])

test('blocks that are no functions are not taken for functions', () => {
  const text = `
    if (a) { b() } else { c() }
    for await (const x of y()) { z() }
    switch (a()) { case b(): { c() } }
    try { a() } catch (problem) { b() } finally { c() }
    const d = e ? f() : g
    while (h) { i() }
    interface J extends K<L> { m(): void }
    class N { static { o() } }
    type P = { q(): { r: string } }`
  assert.deepEqual(functionsOf({ path: 'a.ts', text }), [])
})
