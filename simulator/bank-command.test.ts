import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bankCommands } from '#apps/cli/bank.ts'
import type { Invocation } from '#apps/cli/command.ts'
import type { Row } from '#apps/cli/print-table.ts'
import { useTestDatabase } from '../test/support/test-database.ts'
import { Bank } from './bank.ts'
import { saleOf, talk } from './bank-talk.ts'
import { openPostgresLog } from './postgres-log.ts'
import { VirtualTime } from './virtual-time.ts'

const database = useTestDatabase()

async function showLog(given: Readonly<Record<string, string>>) {
  const options = { text: (name: string) => given[name] }
  const invocation = { context: { db: database().db }, options, subject: '' }
  const report = await bankCommands['log']?.run(invocation as unknown as Invocation)
  assert(report)
  return report
}

const shown = (rows: readonly Row[], ...names: readonly string[]) =>
  rows.map((row) => names.map((name) => row[name]))

test('the command shows what the bank saw, newest first, and by reference', async (t) => {
  assert.match((await showLog({})).note ?? '', /has seen nothing yet/)
  const log = await openPostgresLog(database().connection)
  t.after(() => log.close())
  const time = new VirtualTime()
  const bank = new Bank({ log, clock: time, scheduler: time })
  await talk(bank, saleOf({ ref: 'r1' }))
  await talk(bank, saleOf({ ref: 'r2', minor: 990_051n }))
  await talk(bank, { verb: 'reverse', ref: 'r1' })
  const all = await showLog({})
  assert.deepEqual(
    shown(all.rows, 'verb', 'ref', 'card', 'amount', 'outcome', 'code', 'approved', 'reason'),
    [
      ['reverse', 'r1', '', '', 'reversed', '00', '', ''],
      ['authorize', 'r2', '411111...1111', '9900.51 USD', 'declined', '51', '', 'amount 9900.51'],
      ['authorize', 'r1', '411111...1111', '10.00 USD', 'approved', '00', '10.00 USD', ''],
    ],
  )
  for (const [at] of shown(all.rows, 'at')) assert.match(String(at), /T\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal((await showLog({ last: '1' })).rows.length, 1)
  assert.deepEqual(shown((await showLog({ ref: 'r1' })).rows, 'verb'), [['reverse'], ['authorize']])
  assert.match((await showLog({ ref: 'nobody' })).note ?? '', /nothing of the kind/)
  await assert.rejects(showLog({ last: 'many' }), /a number from 1/)
})
