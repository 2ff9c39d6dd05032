import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import pg from 'pg'
import { applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import { nextFileMark } from '#capabilities/bank-debits/bank-file.ts'
import { findItem } from '#capabilities/bank-debits/bank-item.store.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { receiveReturns } from '#capabilities/bank-debits/receive-returns.operation.ts'
import { bankReturnsWork } from '#capabilities/bank-debits/receive-returns.task.ts'
import { reconcile } from '#capabilities/reconciliation/reconcile.operation.ts'
import { showBatch } from '#capabilities/settlement/show-batches.operation.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'
import { moveClock } from '#engine/account-clock/move-clock.operation.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { rotateCardKeys } from '#engine/vault/rotate-card-keys.operation.ts'
import { achRows } from '../../../simulator/ach-rows.ts'
import { returnFileFor } from '../../../simulator/ach-bank.ts'
import { type Counter, credit, debit, openCounter, settle, undo } from '../../../test/support/bank-world.ts'
import { faultsOfNacha } from '../../../test/support/nacha-check.ts'
import { eventsOf, openTill, sell, settleAll, settleSome } from '../../../test/support/till.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()
const day = Temporal.PlainDate.from('2027-01-20')

async function fileOf({ needs }: Counter, batchId: bigint): Promise<string> {
  const file = await printBankFile(needs, batchId)
  assert(file.ok)
  return file.value
}

async function statusOf({ needs, caller }: Counter, TxID: number): Promise<string> {
  const item = await findItem(needs.db, { account: caller.accountId, id: BigInt(TxID) })
  return `${item?.status} ${item?.returnCode}`.trim()
}

describe('the file of a settlement', () => {
  test('carries debits and credits of persons and businesses, and passes an independent check', async () => {
    const counter = await openCounter(world())
    const TxID = await debit(counter, { Amount: 100 })
    await debit(counter, { AccountType: 2, Amount: 7.77 })
    await debit(counter, { AccountType: 3, Amount: 50 }, { AcctHolder: { Company: 'Böhm & Söhne' } })
    await credit(counter, TxID, 30)
    const gone = await debit(counter)
    await undo(counter, gone)
    const file = await fileOf(counter, await settle(counter))
    assert.deepEqual(faultsOfNacha(file), [])
    const entries = file.split('\n').filter((line) => line.startsWith('6'))
    const told = entries.map(
      (line) => `${line.slice(1, 3)} ${Number(line.slice(29, 39))} ${line.slice(54, 76).trim()}`,
    )
    assert.deepEqual(told, [
      '27 10000 ADA MILLER',
      '37 777 ADA MILLER',
      '22 3000 ADA MILLER',
      '27 5000 BOHM & SOHNE',
    ])
    assert(entries.every((line) => line.slice(12, 29).trim() === '000123456789'))
    assert.equal(await statusOf(counter, TxID), 'settled')
    assert.equal(await statusOf(counter, gone), 'void')
  })

  test('is printed byte for byte as it was made, also after the keys were rotated', async () => {
    const counter = await openCounter(world())
    await debit(counter)
    const batchId = await settle(counter)
    const first = await fileOf(counter, batchId)
    await rotateCardKeys(counter.needs, { onProgress: () => undefined })
    assert.equal(await fileOf(counter, batchId), first)
  })

  test('of a batch that does not exist is refused', async () => {
    const file = await printBankFile(world(), 999_999n)
    assert.equal(file.ok ? 'ok' : file.refusal.kind, 'bank_file_not_found')
  })

  test('files of one day are told apart', async () => {
    const counter = await openCounter(world())
    const modifiers: string[] = []
    for (let round = 0; round < 3; round++) {
      await debit(counter)
      modifiers.push((await fileOf(counter, await settle(counter)))[33] ?? '')
    }
    assert.equal(new Set(modifiers).size, 3)
  })

  test('has no double, however many are made in one minute or on one day', () => {
    const used = new Map<number, string>()
    const make = (minute: number): string => {
      const mark = nextFileMark(used, minute)
      used.set(mark.minute, (used.get(mark.minute) ?? '') + mark.modifier)
      return `${mark.minute} ${mark.modifier}`
    }
    const begin = Array.from({ length: 36 }, (_, at) => make(600 + at))
    assert.equal(new Set(begin.map((mark) => mark.split(' ')[1])).size, 36, 'a mark for each while they last')
    const inOneMinute = Array.from({ length: 100 }, () => make(1410))
    assert.deepEqual([inOneMinute[35]?.slice(0, 4), inOneMinute[36]?.slice(0, 4)], ['1410', '1411'])
    const lastMinute = Array.from({ length: 40 }, () => make(1439))
    assert.equal(lastMinute[39]?.slice(0, 4), '1438', 'no file is made tomorrow')
    assert.equal(new Set([...begin, ...inOneMinute, ...lastMinute]).size, 176)
    const full = new Map(
      Array.from({ length: 1440 }, (_, minute) => [minute, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']),
    )
    assert.deepEqual(nextFileMark(full, 5), { minute: 5, modifier: 'A' }, 'and no settlement fails for it')
  })

  test('settles with the card transactions of the record, in one batch', async () => {
    const needs = world()
    const till = await openTill(needs)
    await sell(till, 10)
    const [kept, gone] = [await debit(till, { Amount: 20 }), await debit(till)]
    await undo(till, gone)
    const { batch, isApproved } = await settleAll(till)
    assert.equal(isApproved, true)
    assert.deepEqual(
      [batch['BatchTransCount'], batch['BatchNetAmount'], batch['RemainingUnsettled']],
      [2, 30, 0],
    )
    assert.equal(await statusOf(till, kept), 'settled')
    const id = BigInt(batch['BatchLogID'] ?? 0)
    assert.deepEqual(faultsOfNacha(await fileOf(till, id)), [])
    const shown = await showBatch(needs, { account: till.account.accountId, batch: id })
    assert.deepEqual(
      shown?.items.map(({ kind, totalMinor }) => `${kind} ${totalMinor}`),
      ['sale 1000', 'bank debit 2000'],
    )
    assert.equal((await verifyLedger(needs.db)).isSound, true)
  })

  test('named debits settle alone, and one that is voided or settled refuses the whole list', async () => {
    const till = await openTill(world())
    const [first, second, gone] = [await debit(till), await debit(till), await debit(till)]
    await undo(till, gone)
    assert.match((await settleSome(till, [first, gone])).text, /it is voided/)
    const { batch } = await settleSome(till, [first])
    assert.deepEqual([batch['BatchTransCount'], batch['RemainingUnsettled']], [1, 1])
    assert.deepEqual([await statusOf(till, first), await statusOf(till, second)], ['settled', 'open'])
    assert.match((await settleSome(till, [first, second])).text, /it is settled/)
  })
})

describe('what a bank sends back', () => {
  test('every account of the sandbox page is returned or corrected as it says', async () => {
    const counter = await openCounter(world())
    const sold = new Map<string, number>()
    for (const { account } of achRows) sold.set(account, await debit(counter, { AccountNumber: account }))
    const good = await debit(counter)
    const back = returnFileFor(await fileOf(counter, await settle(counter)), day)
    assert(back !== null)
    assert.deepEqual(faultsOfNacha(back), [])
    const applied = await applyReturns(counter.needs, back)
    assert(applied.ok)
    assert.deepEqual([applied.value.returned.length, applied.value.corrected.length], [10, 1])
    for (const { account, code } of achRows) {
      const undone = code === 'R13' ? `failed ${code}` : `returned ${code}`
      const expected = code.startsWith('R') ? undone : 'settled'
      assert.equal(await statusOf(counter, sold.get(account) ?? 0), expected)
    }
    assert.equal(await statusOf(counter, good), 'settled')
    assert.equal((await verifyLedger(counter.needs.db)).isSound, true)
  })

  test('is applied once, however often the file is read', async () => {
    const counter = await openCounter(world())
    const TxID = await debit(counter, { AccountNumber: '1234567890123451' })
    const back = returnFileFor(await fileOf(counter, await settle(counter)), day)
    assert(back !== null)
    const [first, second] = [await applyReturns(counter.needs, back), await applyReturns(counter.needs, back)]
    assert(first.ok && second.ok)
    assert.deepEqual(
      [first.value.returned.length, second.value.returned.length, second.value.known],
      [1, 0, 1],
    )
    assert.match((await credit(counter, TxID, 1)).text, /its bank has sent it back \(R01\)/)
    assert.equal((await verifyLedger(counter.needs.db)).isSound, true)
  })

  test('with a damaged line is refused at that line, and nothing is applied', async () => {
    const counter = await openCounter(world())
    const TxID = await debit(counter, { AccountNumber: '1234567890123451' })
    const back = returnFileFor(await fileOf(counter, await settle(counter)), day)
    assert(back !== null)
    const broken = back.replace('0000002550', '0000002551')
    const applied = await applyReturns(counter.needs, broken)
    assert(!applied.ok)
    assert.deepEqual([applied.refusal.kind, applied.refusal.details['line']], ['nacha_file_broken', 5])
    assert.equal(await statusOf(counter, TxID), 'settled')
  })

  test('about something that was never sent, or of another amount, is refused as a whole', async () => {
    const counter = await openCounter(world())
    const TxID = await debit(counter, { AccountNumber: '1234567890123451' })
    const file = await fileOf(counter, await settle(counter))
    const back = returnFileFor(file, day)
    assert(back !== null)
    const trace = /799R01(\d{15})/.exec(back)?.[1] ?? ''
    const stranger = await applyReturns(counter.needs, back.replace(`R01${trace}`, 'R01110000009999998'))
    const amount = await applyReturns(counter.needs, back.replaceAll('2550', '2551'))
    for (const applied of [stranger, amount]) {
      assert.equal(applied.ok ? 'ok' : applied.refusal.kind, 'returns_not_ours')
    }
    assert.equal(await statusOf(counter, TxID), 'settled')
  })

  test('a notice of change keeps the better account in the vault, and credits go there', async () => {
    const counter = await openCounter(world())
    const TxID = await debit(counter, { AccountNumber: '1234567890123450' })
    const batchId = await settle(counter)
    const sent = await fileOf(counter, batchId)
    const back = returnFileFor(sent, day)
    assert(back !== null)
    assert((await applyReturns(counter.needs, back)).ok)
    await credit(counter, TxID, 5)
    const credited = await fileOf(counter, await settle(counter))
    assert.match(credited, /^6221100000001918171614 /m)
    assert.equal(await fileOf(counter, batchId), sent, 'what was sent stays as it was')
  })

  test('comes by itself in the sandbox, two banking days later', async () => {
    const counter = await openCounter(world())
    const TxID = await debit(counter, { AccountNumber: '1234567890123454' })
    await settle(counter)
    const { needs, caller } = counter
    const at = (text: string) => ({ accountId: caller.accountId, at: Temporal.Instant.from(text) })
    // Settled on Friday, 15 January 2027; Monday is a holiday.
    const receive = (text: string) => Array.fromAsync(receiveReturns(needs, at(text)))
    assert.deepEqual(await receive('2027-01-20T10:59:59Z'), [])
    const received = await receive('2027-01-20T11:00:00Z')
    assert.deepEqual(
      received.map(({ applied }) => applied.returned.map((item) => Number(item.attemptId))),
      [[TxID]],
    )
    assert.equal(await statusOf(counter, TxID), 'returned R02')
    assert.deepEqual(await receive('2027-02-01T00:00:00Z'), [])
  })

  test('is told by the time machine, and the books of those days agree', async () => {
    const needs = world()
    const till = await openTill(needs)
    await sell(till, 10)
    const TxID = await debit(till, { AccountNumber: '1234567890123453', Amount: 40 })
    const kept = await debit(till)
    await credit(till, kept, 5)
    await undo(till, await debit(till))
    assert.equal((await settleAll(till)).isApproved, true)
    const work: DueWork<World> = bankReturnsWork
    const order = {
      accountId: till.caller.accountId,
      timeZone: 'America/New_York',
      wish: { kind: 'advance' as const, by: Temporal.Duration.from('P7D') },
      patienceMs: null,
    }
    const moved = await moveClock(needs, [work], order)
    assert(moved.ok)
    assert.deepEqual(
      moved.value.diary.entries.map(({ at, what, subject }) => [at.toString(), what, Number(subject)]),
      [['2027-01-20T11:00:00Z', 'ach.returned', TxID]],
    )
    assert.equal(await statusOf(till, TxID), 'returned R10')
    assert((await eventsOf(till)).includes('ach.returned'))
    assert.equal((await verifyLedger(needs.db)).isSound, true)
    const period = {
      from: Temporal.Instant.from('2027-01-01T00:00Z'),
      to: Temporal.Instant.from('2027-03-01T00:00Z'),
    }
    const own = (await Array.fromAsync(reconcile(needs, period))).filter(
      (one) => one.kind === 'line' && one.line.accountCode === till.account.accountCode,
    )
    assert.equal(own.length, 7)
    assert.deepEqual(
      own.flatMap(({ breaks }) => breaks),
      [],
    )
  })

  test('leaves no account number in any table', async () => {
    const counter = await openCounter(world())
    for (const { account } of achRows) await debit(counter, { AccountNumber: account })
    const back = returnFileFor(await fileOf(counter, await settle(counter)), day)
    assert(back !== null && (await applyReturns(counter.needs, back)).ok)
    const client = new pg.Client(counter.needs.connection)
    await client.connect()
    try {
      const { rows: tables } = await client.query<{ name: string }>(
        `select table_name as name from information_schema.tables where table_schema = 'public'`,
      )
      for (const { name } of tables) {
        const { rows } = await client.query<{ line: string }>(`select t::text as line from ${name} t`)
        const leaks = rows.filter(({ line }) => /12345678901234|1918171614/.test(line))
        assert.deepEqual(leaks, [], name)
      }
    } finally {
      await client.end()
    }
  })
})
