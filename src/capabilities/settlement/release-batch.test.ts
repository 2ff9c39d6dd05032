import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { reconcile } from '#capabilities/reconciliation/reconcile.operation.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { releaseBatch } from '#capabilities/settlement/release-batch.operation.ts'
import { showBatch } from '#capabilities/settlement/show-batches.operation.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { findBatchViolations } from '../../../test/crash/batch-checker.ts'
import { debit, standingOf, undo as undoDebit } from '../../../test/support/bank-world.ts'
import { backUp, reverseAtBank } from '../../../test/support/restored-database.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import {
  call,
  credit,
  eventsOf,
  openTill,
  sell,
  settleAll,
  settleSome,
  type Till,
  type ToldBatch,
  undo,
  withKey,
} from '../../../test/support/till.ts'
import { withClient } from '../../../test/support/with-client.ts'

const period = {
  from: Temporal.Instant.from('2027-01-15T00:00Z'),
  to: Temporal.Instant.from('2027-01-17T00:00Z'),
}

async function breaksIn({ needs }: Till): Promise<readonly string[]> {
  const all = await Array.fromAsync(reconcile(needs, period))
  return all.flatMap(({ breaks }) => breaks.map(({ subject, cause }) => `${subject}: ${cause}`))
}

async function violationsIn({ needs }: Till): Promise<readonly string[]> {
  const bank = await needs.bank.log.read({ last: 1_000 })
  const found = await withClient(needs.connection, (client) => findBatchViolations(client, bank))
  return found.violations
}

function release({ needs, account }: Till, told: ToldBatch) {
  const wish = { reason: 'Restored to noon', operator: 'olga' }
  const batch = BigInt(told.batch['BatchLogID'] ?? 0)
  return releaseBatch(needs, { account: account.accountId, batch, ...wish })
}

async function mustRelease(till: Till, told: ToldBatch) {
  const released = await release(till, told)
  assert(released.ok, released.ok ? '' : String(released.refusal.details['problem']))
  return released.value
}

// Fails after a while, so that the close remembers below which id nothing is left to settle.
async function rejected(till: Till, settle: (till: Till) => Promise<ToldBatch> = settleAll) {
  till.needs.clock.advance({ minutes: 10 })
  await recoverAttempts(till.needs)
  const told = await settle(till)
  assert.deepEqual([told.code, told.batch['Code']], [0, 'F'], told.text)
  return told
}

async function numbersIn(till: Till, told: ToldBatch): Promise<readonly number[]> {
  const batch = BigInt(told.batch['BatchLogID'] ?? 0)
  const shown = await showBatch(till.needs, { account: till.account.accountId, batch })
  return (shown?.items ?? []).map(({ id }) => Number(id))
}

async function transaction(till: Till, id: number) {
  const { members } = await call(till, 'Query/Transaction', { Query: `(H=${id})` })
  const [found] = Object(members['Transactions'])
  return found
}

describe('a database that was set back before a settlement', () => {
  const world = useWorld()

  test('settles again once its batch is released, and what the acquirer has not settled', async () => {
    const till = await openTill(world())
    const one = await sell(till, 20)
    const two = await sell(till, 30)
    const restore = await backUp(till)
    assert.equal((await credit(till, two, 5)).code, 0)
    const forgotten = await settleAll(till)
    assert.equal(forgotten.isApproved, true)
    await restore()

    const later = await sell(till, 40)
    const keyed = withKey(till, 'evening', 'Settlement/ExecuteBatch_All')
    const failed = await rejected(keyed)
    await rejected(till)
    const { learned, settledCount, givenBackCount } = await mustRelease(till, failed)
    assert.deepEqual([settledCount, givenBackCount], [3, 1])
    const [known, ...none] = learned
    assert(known && none.length === 0)
    assert.deepEqual([known.state, known.itemCount, known.cardNet.minor], ['accepted', 3, 4_500n])
    assert.match(known.lock, /^[0-9A-F]{16}$/)
    assert.notEqual(known.lock, failed.batch['TxLock'])

    assert.deepEqual(await breaksIn(till), [])
    assert.deepEqual(await settleAll(keyed), { ...failed }, 'a repeated key tells what it told')
    const settled = await settleAll(till)
    assert.deepEqual([settled.isApproved, settled.batch['RemainingUnsettled']], [true, 0])
    assert.deepEqual(await numbersIn(till, settled), [later])
    assert.deepEqual(await numbersIn(till, failed), [])

    assert.match((await undo(till, one)).text, new RegExp(`it is settled in batch ${known.batchNumber}`))
    assert.equal((await credit(till, one, 1)).code, 0)
    assert.deepEqual([await breaksIn(till), await violationsIn(till)], [[], []])
    assert((await verifyLedger(till.needs.db)).isSound)
    const events = (await eventsOf(till)).filter((type) => type.startsWith('batch')).slice(-4)
    assert.deepEqual(events, ['batch.failed', 'batch.released', 'batch.closed', 'batch.closed'])
  })
})

describe('a database that was set back before a void', () => {
  const world = useWorld()

  test('settles again once its batch is released and the sale voided again', async () => {
    const till = await openTill(world())
    const [settledBefore, gone] = [await sell(till, 10), await sell(till, 20)]
    const later = await sell(till, 30)
    const restore = await backUp(till)
    await settleSome(till, [settledBefore])
    await restore()
    await reverseAtBank(till, gone)

    const failed = await rejected(till)
    const { settledCount, givenBackCount, reversedIds } = await mustRelease(till, failed)
    assert.deepEqual([settledCount, givenBackCount, reversedIds], [1, 2, [BigInt(gone)]])
    assert.match((await breaksIn(till)).join(), /reversed/)

    assert.equal((await undo(till, gone)).code, 0)
    const settled = await settleAll(till)
    assert.deepEqual([settled.isApproved, settled.batch['RemainingUnsettled']], [true, 0])
    assert.deepEqual(await numbersIn(till, settled), [later])
    assert.deepEqual([await breaksIn(till), await violationsIn(till)], [[], []])
    assert((await verifyLedger(till.needs.db)).isSound)
  })

  test('is told of a sale beside the batch as well', async () => {
    const till = await openTill(world())
    const [one, other] = [await sell(till, 20), await sell(till, 30)]
    for (const id of [one, other]) await reverseAtBank(till, id)

    const failed = await rejected(till, () => settleSome(till, [one]))
    const { givenBackCount, reversedIds } = await mustRelease(till, failed)
    assert.deepEqual([givenBackCount, reversedIds], [1, [BigInt(one), BigInt(other)]])
  })
})

describe('a batch that is released', () => {
  const world = useWorld()

  async function setBack(amounts: readonly number[]) {
    const till = await openTill(world())
    const ids: number[] = []
    for (const amount of amounts) ids.push(await sell(till, amount))
    return { till, ids, restore: await backUp(till) }
  }

  test('is found as failed, and what was in it as open or settled', async () => {
    const { till, ids, restore } = await setBack([10])
    await settleAll(till)
    await restore()
    const later = await sell(till, 20)
    const failed = await rejected(till)
    await mustRelease(till, failed)
    const { members } = await call(till, 'Query/BatchLog', { Query: '(B=1)' })
    const [batch] = Object(members['BatchLogs'])
    assert.deepEqual(
      [batch.ID, batch.Code, batch.FinishedOn, batch.BatchAmt],
      [failed.batch['BatchLogID'], 'F', '', 30],
    )
    const [old, open] = [await transaction(till, ids[0] ?? 0), await transaction(till, later)]
    assert.deepEqual([old.BatchStatus, open.BatchStatus, open.TxLOCK], ['APPROVED', '', '0'])
    assert.equal((await undo(till, later)).code, 0, 'what is given back can be voided again')
  })

  test('keeps who released it and why', async () => {
    const { till, restore } = await setBack([10])
    await settleAll(till)
    await restore()
    const failed = await rejected(till)
    await mustRelease(till, failed)
    const batch = BigInt(failed.batch['BatchLogID'] ?? 0)
    const shown = await showBatch(till.needs, { account: till.account.accountId, batch })
    const { at, ...kept } = shown?.release ?? assert.fail('it is kept')
    assert.deepEqual(kept, {
      operator: 'olga',
      reason: 'Restored to noon',
      settledCount: 1,
      givenBackCount: 0,
    })
    assert.deepEqual(at, till.needs.clock.now())
  })

  test('gives back also what is older than everything that the acquirer has settled', async () => {
    const { till, ids, restore } = await setBack([10, 20, 30])
    const [first = 0, second = 0, third = 0] = ids
    assert.equal((await settleSome(till, [second])).isApproved, true)
    await restore()
    const failed = await rejected(till)
    const { givenBackCount } = await mustRelease(till, failed)
    assert.equal(givenBackCount, 2)
    assert.deepEqual(await numbersIn(till, await settleAll(till)), [first, third])
  })

  test('tells of two batches that were forgotten', async () => {
    const { till, ids, restore } = await setBack([10, 20, 30])
    await settleSome(till, ids.slice(0, 1))
    await settleSome(till, ids.slice(1, 2))
    await restore()
    const { learned } = await mustRelease(till, await rejected(till))
    assert.deepEqual(
      learned.map(({ cardNet, batchNumber }) => [cardNet.minor, batchNumber]),
      [
        [1_000n, 2],
        [2_000n, 3],
      ],
    )
    assert.deepEqual(await numbersIn(till, await settleAll(till)), ids.slice(2))
  })

  test('takes along what the other batch holds and nobody named', async () => {
    const { till, ids, restore } = await setBack([10, 20])
    await settleAll(till)
    await restore()
    const later = await sell(till, 30)
    const failed = await rejected(till, (at) => settleSome(at, ids.slice(0, 1)))
    const { learned, settledCount, givenBackCount } = await mustRelease(till, failed)
    assert.deepEqual([learned[0]?.itemCount, settledCount, givenBackCount], [2, 2, 0])
    assert.deepEqual(await numbersIn(till, await settleAll(till)), [later])
  })

  test('lets the other batch grow when more of it turns up later', async () => {
    const { till, ids, restore } = await setBack([10, 20])
    const [first = 0, second = 0] = ids
    await settleAll(till)
    await restore()
    const take = (by: string | null) =>
      withClient(till.needs.connection, (client) =>
        client.query('update attempt set taken_by = $2 where attempt_id = $1', [second, by]),
      )
    await take('under way')
    const { learned } = await mustRelease(till, await rejected(till))
    assert.deepEqual([learned[0]?.itemCount, learned[0]?.cardNet.minor], [1, 1_000n])
    await take(null)
    const again = await mustRelease(till, await rejected(till))
    assert.equal(again.learned[0]?.batchId, learned[0]?.batchId)
    assert.deepEqual([again.learned[0]?.itemCount, again.learned[0]?.cardNet.minor], [2, 3_000n])
    assert.equal((await settleAll(till)).text, 'Nothing to settle')
    assert.match((await undo(till, first)).text, /it is settled in batch/)
  })

  test('gives its bank debits back, and its file goes nowhere', async () => {
    const { till, ids, restore } = await setBack([10])
    await settleAll(till)
    await restore()
    const [kept, gone] = [await debit(till), await debit(till, { Amount: 7 })]
    const failed = await rejected(till)
    const { companionCount, givenBackCount } = await mustRelease(till, failed)
    assert.deepEqual([companionCount, givenBackCount], [2, 2])
    assert.equal(await standingOf(till, kept), 'open, in no batch, credited 0')
    assert.equal((await undoDebit(till, gone)).code, 0, 'one that the bank has already is voided')
    const settled = await settleAll(till)
    assert.deepEqual([settled.isApproved, await numbersIn(till, settled)], [true, [kept]])
    assert.equal(await standingOf(till, kept), 'settled, in a batch, credited 0')
    const [old, sent] = await Promise.all(
      [failed, settled].map(({ batch }) => printBankFile(till.needs, BigInt(batch['BatchLogID'] ?? 0))),
    )
    assert.deepEqual([old?.ok, sent?.ok], [false, true])
    assert(ids.length > 0)
  })

  test('is released by the clock of its account, however far ahead that is', async () => {
    const { till, restore } = await setBack([10])
    await settleAll(till)
    await restore()
    till.needs.movedClocks.setOffsets(new Map([[till.account.accountId, 40 * 24 * 3_600_000]]))
    await sell(till, 20)
    const { batch, learned } = await mustRelease(till, await rejected(till))
    assert.equal(learned[0]?.closedAt.toString().slice(0, 10), '2027-02-24')
    assert.equal(batch.state, 'released')
    assert.equal((await settleAll(till)).batch['BatchNetAmount'], 20)
  })
})
