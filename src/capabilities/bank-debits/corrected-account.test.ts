import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import { findItem } from '#capabilities/bank-debits/bank-item.store.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { readNacha } from '#kernel/nacha/read-nacha.ts'
import { writeNacha } from '#kernel/nacha/write-nacha.ts'
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

async function fileOf({ needs }: Counter, batchId: bigint): Promise<string> {
  const file = await printBankFile(needs, batchId)
  assert(file.ok)
  return file.value
}

// The bank tells of everything in this file that its account has another number.
function noticesAbout(file: string): string {
  const read = readNacha(file)
  assert(read.ok)
  const batches = read.value.map((batch) => ({
    ...batch,
    entryClass: 'COR',
    entries: batch.entries.map((entry) => ({
      ...entry,
      amountMinor: 0n,
      addenda: { kind: 'change' as const, code: 'C01', originalTrace: entry.trace, corrected: better },
    })),
  }))
  return writeNacha({ header: headerFromBank, batches })
}

async function credited(counter: Counter, TxID: number, amount: number): Promise<number> {
  const told = await credit(counter, TxID, amount)
  assert.equal(told.code, 0, told.text)
  return Number(told.members['TxID'])
}

// To which accounts the next file gives something back.
async function receiversOf(counter: Counter): Promise<readonly string[]> {
  const lines = (await fileOf(counter, await settle(counter))).split('\n')
  return lines.filter((line) => line.startsWith('622')).map((line) => line.slice(12, 29).trim())
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
  const batchId = await settle(counter)
  const onItsWay = await fileOf(counter, batchId)
  assert((await applyReturns(counter.needs, noticesAbout(sent))).ok)
  assert.equal(await fileOf(counter, batchId), onItsWay)
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
  assert.deepEqual(await receiversOf(counter), [better, better, '000123456789'])
})
