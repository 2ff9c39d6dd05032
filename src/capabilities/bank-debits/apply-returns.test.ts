import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import { findItem } from '#capabilities/bank-debits/bank-item.store.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { readNacha } from '#kernel/nacha/read-nacha.ts'
import { writeNacha } from '#kernel/nacha/write-nacha.ts'
import { int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { returnFileFor } from '../../../simulator/ach-bank.ts'
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

async function returnsOf({ needs }: Counter, batch: bigint): Promise<string> {
  const file = await printBankFile(needs, batch)
  assert(file.ok)
  const back = returnFileFor(file.value, Temporal.PlainDate.from('2027-01-20'))
  assert(back !== null)
  return back
}

async function itemOf({ needs, caller }: Counter, TxID: number) {
  const item = await findItem(needs.db, { account: caller.accountId, id: BigInt(TxID) })
  assert(item)
  return item
}

// The same file about something else: its trace number, and the transaction that it names.
function about(file: string, { trace, TxID }: { trace: string; TxID?: number }): string {
  return file
    .split('\n')
    .map((line) => {
      if (line.startsWith('7')) return line.slice(0, 6) + trace + line.slice(21)
      const isEntry = line.startsWith('6') && TxID !== undefined
      return isEntry ? line.slice(0, 39) + String(TxID).padEnd(15) + line.slice(54) : line
    })
    .join('\n')
}

async function refusalOf({ needs }: Counter, file: string): Promise<string> {
  const applied = await applyReturns(needs, file)
  return applied.ok ? 'applied' : String(applied.refusal.details['problem'])
}

test('a return under the trace number of another debit is refused, also of another account', async () => {
  const needs = world()
  const [one, other] = [await openCounter(needs), await openCounter(needs)]
  await debit(one, { AccountNumber: '1234567890123451' })
  const back = await returnsOf(one, await settle(one))
  for (const counter of [one, other]) {
    const TxID = await debit(counter)
    await settle(counter)
    const { trace } = await itemOf(counter, TxID)
    assert(trace)
    assert.equal(await refusalOf(one, about(back, { trace })), `${trace} was sent for another transaction`)
    assert.equal((await itemOf(counter, TxID)).status, 'settled')
  }
})

test('a return of a debit whose batch is not accepted is refused', async () => {
  const counter = await openCounter(world())
  await debit(counter, { AccountNumber: '1234567890123451' })
  const back = await returnsOf(counter, await settle(counter))
  const TxID = await debit(counter)
  await settle(counter, { isAccepted: false })
  const { trace } = await itemOf(counter, TxID)
  assert(trace)
  const told = await refusalOf(counter, about(back, { trace, TxID }))
  assert.equal(told, `${trace} is in a batch that is not accepted yet`)
  assert.equal((await itemOf(counter, TxID)).status, 'open')
})

const storedStatement = statement(
  'test_count_corrections',
  [int8],
  { accounts: int8, events: int8 },
  `select (select count(*) from vault_bank_account where account_id = $1) as accounts,
     (select count(*) from event where account_id = $1 and type = 'ach.corrected') as events`,
)

test('a notice of change is applied once, however often the file is read', async () => {
  const counter = await openCounter(world())
  const TxID = await debit(counter, { AccountNumber: '1234567890123450' })
  const back = await returnsOf(counter, await settle(counter))
  const { needs, caller } = counter
  const first = await applyReturns(needs, back)
  const { correctedAccountId } = await itemOf(counter, TxID)
  const again = await Promise.all([applyReturns(needs, back), applyReturns(needs, back)])
  assert(first.ok && first.value.corrected.length === 1 && first.value.known === 0)
  for (const applied of again)
    assert(applied.ok && applied.value.corrected.length === 0 && applied.value.known === 1)
  assert.deepEqual(await needs.db.run(storedStatement, [caller.accountId]), [{ accounts: 2n, events: 1n }])
  assert.equal((await itemOf(counter, TxID)).correctedAccountId, correctedAccountId)
  assert.equal((await credit(counter, TxID, 5)).code, 0)
})

const resolvedStatement = statement(
  'test_when_items_came_back',
  [int8],
  { status: text, resolved: nullable(timestamptz), changed: timestamptz },
  `select status, resolved_at as resolved, changed_at as changed from bank_item
   where account_id = $1 order by attempt_id`,
)

// Both files as one.
function together(left: string, right: string): string {
  const read = [readNacha(left), readNacha(right)]
  const batches = read.flatMap((one) => (one.ok ? one.value : []))
  const numbered = batches.map((batch, at) => ({ ...batch, number: at + 1 }))
  return writeNacha({ header: headerFromBank, batches: numbered })
}

test('what one file brings back for several accounts came back when it was by their own clocks', async () => {
  const needs = world()
  const [here, ahead] = [await openCounter(needs), await openCounter(needs)]
  const offset = 400 * 24 * 3_600_000
  needs.movedClocks.setOffsets(new Map([[ahead.caller.accountId, offset]]))
  const backs: string[] = []
  for (const counter of [here, ahead]) {
    const TxID = await debit(counter, { AccountNumber: '1234567890123451' })
    backs.push(await returnsOf(counter, await settle(counter)))
    assert.equal((await credit(counter, TxID, 5)).code, 0)
  }
  const [left = '', right = ''] = backs
  assert.equal(await refusalOf(here, together(left, right)), 'applied')
  for (const { caller } of [here, ahead]) {
    const now = String(needs.accountClock.now(caller.accountId))
    const items = await needs.db.run(resolvedStatement, [caller.accountId])
    assert.deepEqual(
      items.map(({ status, resolved, changed }) => [status, String(resolved), String(changed)]),
      [
        ['returned', now, now],
        ['void', 'null', now],
      ],
    )
  }
})
