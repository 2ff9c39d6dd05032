import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { bankCommands } from '#apps/cli/bank.ts'
import type { Invocation } from '#apps/cli/command.ts'
import { explainCommand } from '#apps/cli/explain-command.ts'
import type { Row } from '#apps/cli/print-table.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import { findAnyAttempt } from '#engine/payments/find-attempt.operation.ts'
import { useWorldOn } from '../test/support/session-world.ts'
import { useTestDatabase } from '../test/support/test-database.ts'
import { openTill, sell, undo } from '../test/support/till.ts'
import { Bank } from './bank.ts'
import { dollars, saleOf, talk } from './bank-talk.ts'
import { openPostgresLog } from './postgres-log.ts'
import { VirtualTime } from './virtual-time.ts'

const database = useTestDatabase()
const world = useWorldOn(database)

async function showLog(given: Readonly<Record<string, string>>) {
  const options = { text: (name: string) => given[name] }
  const invocation = { context: { db: database().db }, options, subject: '' }
  const report = await bankCommands['log']?.run(invocation as unknown as Invocation)
  assert(report)
  return report
}

async function openBank(t: TestContext): Promise<Bank> {
  const log = await openPostgresLog(database().connection)
  t.after(() => log.close())
  const time = new VirtualTime()
  return new Bank({ log, clock: time, scheduler: time })
}

const shown = (rows: readonly Row[], ...names: readonly string[]) =>
  rows.map((row) => names.map((name) => row[name]))

test('the command shows what the bank saw, newest first, and by reference', async (t) => {
  assert.match((await showLog({})).note ?? '', /has seen nothing yet/)
  const bank = await openBank(t)
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

test('the command shows what the bank saw of one transaction, what undoes it included', async (t) => {
  const transaction = String(await sell(await openTill(world()), 25))
  const sale = await findAnyAttempt(database(), attemptId(BigInt(transaction)))
  assert(sale)
  const bank = await openBank(t)
  await talk(bank, saleOf({ ref: sale.ref }))
  await talk(bank, saleOf({ ref: 'of-another' }))
  await talk(bank, { verb: 'refund', ref: 'credit-1', original: sale.ref, amount: dollars(100n) })
  assert.deepEqual(shown((await showLog({ transaction })).rows, 'verb', 'ref', 'original'), [
    ['refund', 'credit-1', sale.ref],
    ['authorize', sale.ref, ''],
  ])
  await assert.rejects(showLog({ transaction: '999999' }), /^Complaint: There is no transaction 999999\.$/)
  await assert.rejects(showLog({ transaction: 'first' }), /first is no transaction id/)
  await assert.rejects(showLog({ transaction, ref: 'r1' }), /are not given together/)
})

test('the command shows what the bank saw of a void: its sale, which was reversed', async (t) => {
  const till = await openTill(world())
  const sold = await sell(till, 25)
  const voided = String((await undo(till, sold)).members['VoidTxID'])
  assert.notEqual(voided, String(sold))
  const sale = await findAnyAttempt(database(), attemptId(BigInt(sold)))
  assert(sale)
  const bank = await openBank(t)
  await talk(bank, saleOf({ ref: sale.ref }))
  await talk(bank, { verb: 'reverse', ref: sale.ref })
  assert.deepEqual(shown((await showLog({ transaction: voided })).rows, 'verb', 'ref'), [
    ['reverse', sale.ref],
    ['authorize', sale.ref],
  ])
})

test('the command shows what the bank saw from one moment until before another', async (t) => {
  const log = await openPostgresLog(database().connection)
  t.after(() => log.close())
  const time = new VirtualTime('2027-03-01T10:00:00Z')
  const bank = new Bank({ log, clock: time, scheduler: time })
  for (const ref of ['at-10', 'at-11', 'at-12']) {
    await talk(bank, saleOf({ ref }))
    time.advance(3_600_000)
  }
  const refsOf = async (span: Readonly<Record<string, string>>) =>
    shown((await showLog(span)).rows, 'ref').flat()
  assert.deepEqual(await refsOf({ from: '2027-03-01T11:00:00Z', to: '2027-03-01T12:00' }), ['at-11'])
  assert.deepEqual(await refsOf({ from: '2027-03-01T12:30:00+01:00' }), ['at-12'])
  assert.deepEqual(await refsOf({ from: '2027-03-01', to: '2027-03-02', last: '2' }), ['at-12', 'at-11'])
  const day = { from: '2027-03-01', to: '2027-03-01' }
  assert.deepEqual(await refsOf(day), ['at-12', 'at-11', 'at-10'], 'a day is a whole day')
  assert(bankCommands['log'] && explainCommand(bankCommands['log']).includes('the whole day in UTC'))
  await assert.rejects(showLog({ from: 'noon' }), /noon is no day or moment such as /)
  await assert.rejects(showLog({ from: '2027-03-02', to: '2027-03-01' }), /--from lies after --to/)
})
