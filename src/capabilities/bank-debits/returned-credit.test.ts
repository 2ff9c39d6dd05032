import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { readNacha } from '#kernel/nacha/read-nacha.ts'
import { writeNacha } from '#kernel/nacha/write-nacha.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import {
  assertBankBooksAgree,
  credit,
  debit,
  headerFromBank,
  settle,
  standingOf,
} from '../../../test/support/bank-world.ts'
import { makeEarlierDatabase, withClient } from '../../../test/support/earlier-database.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { testConnection } from '../../../test/support/test-cluster.ts'
import { openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()

// All of a file comes back: 22 as 21, 27 as 26.
function sentBack(file: string): string {
  const read = readNacha(file)
  assert(read.ok)
  const batches = read.value.map((batch) => ({
    ...batch,
    entries: batch.entries.map((entry) => ({
      ...entry,
      transactionCode: `${entry.transactionCode[0]}${Number(entry.transactionCode[1]) - 1}`,
      addenda: { kind: 'return' as const, code: 'R02', originalTrace: entry.trace },
    })),
  }))
  return writeNacha({ header: headerFromBank, batches })
}

async function credited(till: Till, TxID: number, amount: number): Promise<number> {
  const told = await credit(till, TxID, amount)
  assert.equal(told.code, 0, told.text)
  return Number(told.members['TxID'])
}

// Sends all that waits, and answers the file in which all of it comes back.
async function sendAll(till: Till): Promise<string> {
  const file = await printBankFile(till.needs, await settle(till))
  assert(file.ok)
  return sentBack(file.value)
}

test('a credit that comes back can be made once more, and never beyond the debit', async () => {
  const till = await openTill(world())
  const TxID = await debit(till, { Amount: 40 })
  await settle(till)
  const first = await credited(till, TxID, 30)
  const second = await credited(till, TxID, 10)
  const back = await sendAll(till)
  assert.match((await credit(till, TxID, 0.01)).text, /only 0\.00 of it is left/)
  assert.equal((await applyReturns(till.needs, back)).ok, true)
  for (const one of [first, second]) assert.match(await standingOf(till, one), /^returned, in a batch/)
  assert.equal(await standingOf(till, TxID), 'settled, in a batch, credited 0')
  await assertBankBooksAgree(till)
  await credited(till, TxID, 40)
  assert.equal((await credit(till, TxID, 0.01)).code, 6712)
  assert.equal((await applyReturns(till.needs, back)).ok, true)
  assert.equal(await standingOf(till, TxID), 'settled, in a batch, credited 4000')
  await assertBankBooksAgree(till)
})

test('a debit that comes back together with its credit counts neither', async () => {
  const till = await openTill(world())
  const TxID = await debit(till, { Amount: 40 })
  await credited(till, TxID, 15)
  const applied = await applyReturns(till.needs, await sendAll(till))
  assert(applied.ok)
  assert.equal(applied.value.returned.length, 2)
  assert.equal(await standingOf(till, TxID), 'returned, in a batch, credited 0')
  await assertBankBooksAgree(till)
})

// Without the vault and the account that they belong to, which nobody looks at here.
const seed = `
  set session_replication_role = replica;
  insert into bank_item (attempt_id, account_id, merchant_number, kind, parent_id, status, total_minor,
    credited_minor, currency, bank_account_id, authorization_id, reference, details, created_at, changed_at)
  select i.id, 7, 1, i.kind, i.parent, i.status, i.total, i.credited, 'USD', 1, '', '', '{}', now(), now()
  from (values
    (1, 'debit', null::int8, 'settled', 4000, 3000),
    (2, 'credit', 1, 'returned', 1000, 0),
    (3, 'credit', 1, 'failed', 500, 0),
    (4, 'credit', 1, 'settled', 1500, 0),
    (5, 'debit', null, 'settled', 4000, 700),
    (6, 'credit', 5, 'void', 300, 0),
    (7, 'credit', 5, 'open', 700, 0)
  ) as i (id, kind, parent, status, total, credited)`

test('credits that came back before the upgrade can be made once more after it', async () => {
  const name = `test_${randomBytes(6).toString('hex')}`
  await makeEarlierDatabase(name, '0035')
  await withClient(name, (client) => client.query(seed))
  await migrate(testConnection(name))
  const { rows } = await withClient(name, (client) =>
    client.query(`select credited_minor::int4 from bank_item where kind = 'debit' order by attempt_id`),
  )
  assert.deepEqual(rows, [{ credited_minor: 1500 }, { credited_minor: 700 }])
})
