import assert from 'node:assert/strict'
import { test } from 'node:test'

import { testRule } from './rule-cases.ts'
import { writtenTables } from './sql-text.ts'
import { checkSql } from './sql.ts'

const writes: readonly (readonly [sql: string, tables: readonly string[]])[] = [
  ['insert into consents (id) values ($1)', ['consents']],
  ['insert into bank.log (id) values ($1)', ['log']],
  ['INSERT INTO "Consents" values (1)', ['consents']],
  ['update only consents set state = $1', ['consents']],
  ['delete from consents using plans', ['consents']],
  ['truncate table consents, bank.log', ['consents', 'log']],
  ['merge into consents c using x on true when matched then update set a = 1', ['consents']],
  ['merge into consents using x on true when matched then delete', ['consents']],
  [
    'with gone as (delete from plans returning id) insert into history select id from gone',
    ['plans', 'history'],
  ],
  ['insert into consents values (1) on conflict (id) do update set used = 2', ['consents']],
  ['select id from consents for update skip locked', []],
  ['select id from consents for no key update of consents', []],
  ["select 'insert into x' -- update y\n /* delete from z */", []],
  ['select updated_at from deleted_from', []],
]

for (const [sql, tables] of writes) {
  test(`${sql} writes ${tables.join(' and ') || 'nothing'}`, () =>
    assert.deepEqual(writtenTables(sql), tables))
}

const store = (sql: string) => `const one = statement('one', {}, \`${sql}\`)\nthrow Error('update plans')`

testRule(checkSql, [
  {
    sentence: 'several stores of one slice may write a table that others read',
    files: {
      'src/engine/payments/attempt.store.ts': store('update attempts set state = $1'),
      'src/engine/payments/payment.store.ts': store('insert into attempts select ${columns} from plans'),
      'src/engine/ledger/ledger.store.ts': store('select id from attempts for update'),
    },
  },
  {
    sentence: 'two slices that write one table are a breach that names both',
    files: {
      'src/engine/ledger/posting.store.ts': store('insert into postings values ($1)'),
      'src/engine/payments/attempt.store.ts': store('with x as (update ledger.postings set a = 1) select 1'),
    },
    says: [/attempt.store.ts:1 .*src\/engine\/payments writes table 'postings', which src\/engine\/ledger/],
  },
  {
    sentence: 'a statement outside a store is a breach, its definition and tests are not',
    files: {
      'src/engine/fees/quote.operation.ts': 'const a = 1\nconst b = statement<Row>("b", [], "select 1")',
      'src/platform/postgres/statement.ts': 'export function statement(name: string) { return name }',
      'src/platform/postgres/statement.test.ts': 'statement("b", [], "select 1")',
    },
    says: [/quote.operation.ts:2 .*move it to a .store.ts/],
  },
])
