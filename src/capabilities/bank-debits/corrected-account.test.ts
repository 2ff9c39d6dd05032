import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import { findItem } from '#capabilities/bank-debits/bank-item.store.ts'
import { eraseBankAccounts } from '#capabilities/bank-debits/erase-bank-accounts.operation.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { batchId } from '#capabilities/settlement/batch.ts'
import { readNacha } from '#kernel/nacha/read-nacha.ts'
import { writeNacha } from '#kernel/nacha/write-nacha.ts'
import { int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { correctedAccount as better } from '../../../simulator/ach-rows.ts'
import {
  type Counter,
  credit,
  debit,
  headerFromBank,
  openCounter,
  settle,
} from '../../../test/support/bank-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

const unerasedStatement = statement(
  'test_unerased_bank_accounts',
  [int8],
  { bank_account_id: int8 },
  `select bank_account_id from vault_bank_account where account_id = $1 and erased_at is null`,
)

async function fileOf({ needs }: Counter, batch: bigint): Promise<string> {
  const file = await printBankFile(needs, batch)
  assert(file.ok)
  return file.value
}

// The bank tells of everything in this file that its account has another number, or whatever the code says.
function noticesAbout(file: string, code = 'C01', corrected: string = better): string {
  const read = readNacha(file)
  assert(read.ok)
  const batches = read.value.map((batch) => ({
    ...batch,
    entryClass: 'COR',
    entries: batch.entries.map((entry) => ({
      ...entry,
      amountMinor: 0n,
      addenda: { kind: 'change' as const, code, originalTrace: entry.trace, corrected },
    })),
  }))
  return writeNacha({ header: headerFromBank, batches })
}

async function credited(counter: Counter, TxID: number, amount: number): Promise<number> {
  const told = await credit(counter, TxID, amount)
  assert.equal(told.code, 0, told.text)
  return Number(told.members['TxID'])
}

// To which accounts the next file gives something back, in whatever order it does.
async function receiversOf(counter: Counter): Promise<readonly string[]> {
  const lines = (await fileOf(counter, await settle(counter))).split('\n')
  return lines
    .filter((line) => line.startsWith('622'))
    .map((line) => line.slice(12, 29).trim())
    .toSorted()
}

test('a credit that waits for its file when the bank tells another account goes to that one', async () => {
  const counter = await openCounter(world())
  const TxID = await debit(counter, { Amount: 40 })
  const sent = await fileOf(counter, await settle(counter))
  await credited(counter, TxID, 5)
  assert((await applyReturns(counter.needs, noticesAbout(sent))).ok)
  await credited(counter, TxID, 6)
  assert.deepEqual(await receiversOf(counter), [better, better])
})

test('a credit that is on its way when the bank tells another account stays as it was sent', async () => {
  const counter = await openCounter(world())
  const TxID = await debit(counter, { Amount: 40 })
  const sent = await fileOf(counter, await settle(counter))
  const first = await credited(counter, TxID, 5)
  const sentIn = await settle(counter)
  const onItsWay = await fileOf(counter, sentIn)
  assert((await applyReturns(counter.needs, noticesAbout(sent))).ok)
  assert.equal(await fileOf(counter, sentIn), onItsWay)
  const { needs, caller } = counter
  const item = await findItem(needs.db, { account: caller.accountId, id: BigInt(first) })
  assert.equal(item?.correctedAccountId, null)
})

test('what a bank tells about a credit counts for the next credit of that debit', async () => {
  const counter = await openCounter(world())
  const TxID = await debit(counter, { Amount: 40 })
  const other = await debit(counter, { Amount: 40 })
  await settle(counter)
  await credited(counter, TxID, 5)
  const sent = await fileOf(counter, await settle(counter))
  await credited(counter, TxID, 6)
  const applied = await applyReturns(counter.needs, noticesAbout(sent))
  assert(applied.ok && applied.value.corrected.length === 1)
  await credited(counter, TxID, 7)
  await credited(counter, other, 8)
  assert.deepEqual(await receiversOf(counter), ['000123456789', better, better])
})

test('what a bank tells about an old credit adds to what it has told of the debit', async () => {
  const counter = await openCounter(world())
  const TxID = await debit(counter, { Amount: 40 })
  const sent = await fileOf(counter, await settle(counter))
  await credited(counter, TxID, 5)
  const onItsWay = await fileOf(counter, await settle(counter))
  assert((await applyReturns(counter.needs, noticesAbout(sent))).ok)
  assert((await applyReturns(counter.needs, noticesAbout(onItsWay, 'C02', '011000015'))).ok)
  await credited(counter, TxID, 6)
  const [line] = (await fileOf(counter, await settle(counter))).split('\n').filter((one) => one[0] === '6')
  assert.equal(line?.slice(3, 29).trim(), `011000015${better}`)
})

test('the same notice about a debit and its credit is known, and no number is kept for ever', async () => {
  const counter = await openCounter(world())
  const { needs, caller } = counter
  const TxID = await debit(counter, { Amount: 40 })
  const sent = await fileOf(counter, await settle(counter))
  await credited(counter, TxID, 5)
  const onItsWay = await fileOf(counter, await settle(counter))
  assert((await applyReturns(needs, noticesAbout(sent))).ok)
  const again = await applyReturns(needs, noticesAbout(onItsWay))
  assert(again.ok && again.value.corrected.length === 0)
  needs.clock.advance({ hours: 24 * 400 })
  await eraseBankAccounts(needs)
  assert.deepEqual(await needs.db.run(unerasedStatement, [caller.accountId]), [])
})

test('an account that was corrected twice is erased with all of its numbers', async () => {
  const counter = await openCounter(world())
  const { needs, caller } = counter
  const TxID = await debit(counter, { Amount: 40 })
  const sent = await fileOf(counter, await settle(counter))
  for (const number of [better, '555000111', '555000222'])
    assert((await applyReturns(needs, noticesAbout(sent, 'C01', number))).ok)
  await credited(counter, TxID, 5)
  assert.deepEqual(await receiversOf(counter), ['555000222'])
  assert.equal((await needs.db.run(unerasedStatement, [caller.accountId])).length, 4)
  needs.clock.advance({ hours: 24 * 400 })
  await eraseBankAccounts(needs)
  assert.deepEqual(await needs.db.run(unerasedStatement, [caller.accountId]), [])
})

test('a credit whose batch is given back after the notice goes to the account of the notice', async () => {
  const counter = await openCounter(world())
  const TxID = await debit(counter, { Amount: 40 })
  const sent = await fileOf(counter, await settle(counter))
  await credited(counter, TxID, 5)
  const rejected = await settle(counter, { isAccepted: false })
  const { needs } = counter
  assert((await applyReturns(needs, noticesAbout(sent))).ok)
  const [companion] = needs.batchCompanions
  assert(companion)
  await needs.db.inTransaction((tx) => companion.giveBack(tx, batchId(rejected), needs.clock.now()))
  assert.deepEqual(await receiversOf(counter), [better])
})
