import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { releaseBatch } from '#capabilities/settlement/release-batch.operation.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { returnFileFor } from '../../../simulator/ach-bank.ts'
import { credit as creditDebit, debit, settle, standingOf } from '../../../test/support/bank-world.ts'
import { holding } from '../../../test/support/holding.ts'
import { backUp } from '../../../test/support/restored-database.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { somebodyWaits } from '../../../test/support/somebody-waits.ts'
import { openTill, sell, settleAll, settleSome, type Till } from '../../../test/support/till.ts'

const world = useWorld()

const leaveBatchStatement = statement(
  'test_leave_batch',
  [int8],
  {},
  `update bank_item set batch_id = null, trace = null where attempt_id = $1`,
)

type Stuck = {
  readonly till: Till
  // Two debits of 40.00, and what their bank will send back of both.
  readonly debits: readonly number[]
  readonly back: string
  // Of both in full.
  readonly credits: readonly number[]
  readonly batch: bigint
}

// Two debits are settled, and their credits lie in a batch that the acquirer rejects, because it has the sale
// beside them in one that is forgotten here.
async function stuckCredits(needs: World): Promise<Stuck> {
  const till = await openTill(needs)
  const debits: number[] = []
  for (const AccountNumber of ['1234567890123451', '1234567890123461'])
    debits.push(await debit(till, { AccountNumber, Amount: 40 }))
  const file = await printBankFile(needs, await settle(till))
  assert(file.ok)
  const back = returnFileFor(file.value, Temporal.PlainDate.from('2027-01-20'))
  assert(back !== null)
  const sale = await sell(till, 20)
  const restore = await backUp(till)
  assert((await settleSome(till, [sale])).isApproved)
  await restore()
  const credits: number[] = []
  // The later one first, so that nothing is in order by itself.
  for (const TxID of debits.toReversed()) credits.unshift(await credit(till, TxID))
  const failed = await settleAll(till)
  assert.equal(failed.batch['Code'], 'F')
  return { till, debits, back, credits, batch: BigInt(failed.batch['BatchLogID'] ?? 0) }
}

async function credit(till: Till, TxID: number): Promise<number> {
  const told = await creditDebit(till, TxID, 40)
  assert.equal(told.code, 0, told.text)
  return Number(told.members['TxID'])
}

async function release({ till: { needs, account }, batch }: Stuck) {
  const wish = { account: account.accountId, batch, reason: 'Restored to noon', operator: 'olga' }
  const released = await releaseBatch(needs, wish)
  assert(released.ok, released.ok ? '' : String(released.refusal.details['problem']))
  const { givenBackCount, companionCount, voidedCount } = released.value
  return { givenBackCount, companionCount, voidedCount }
}

async function apply({ needs }: Till, back: string): Promise<number> {
  const applied = await applyReturns(needs, back)
  assert(applied.ok)
  return applied.value.heldBack.length
}

async function assertPaidOnce({ till, debits, credits }: Stuck): Promise<void> {
  for (const one of credits) assert.equal(await standingOf(till, one), 'void, in no batch, credited 0')
  assert.equal(await standingOf(till, debits[0] ?? 0), 'returned, in a batch, credited 0')
  assert.equal(await standingOf(till, debits[1] ?? 0), 'failed, in a batch, credited 0')
  assert.equal((await settleAll(till)).text, 'Nothing to settle')
  assert.equal((await verifyLedger(till.needs.db)).isSound, true)
}

describe('a credit that a released batch gives back', () => {
  test('is voided when its debit has come back meanwhile, and the payer is paid once', async () => {
    const stuck = await stuckCredits(world())
    assert.equal(await apply(stuck.till, stuck.back), 0, 'what is in a batch stays there')
    assert.deepEqual(await release(stuck), { givenBackCount: 0, companionCount: 0, voidedCount: 2 })
    await assertPaidOnce(stuck)
  })

  test('is settled by the next batch when its debit has not', async () => {
    const stuck = await stuckCredits(world())
    assert.deepEqual(await release(stuck), { givenBackCount: 2, companionCount: 2, voidedCount: 0 })
    const told = await settleAll(stuck.till)
    assert.deepEqual([told.isApproved, told.batch['BatchNetAmount']], [true, -80])
  })

  test('is voided by the return where that comes at the same moment and is second', async () => {
    const stuck = await stuckCredits(world())
    const slow = holding(stuck.till.needs)
    const releasing = release({ ...stuck, till: { ...stuck.till, needs: slow.needs } })
    await slow.done
    const applying = apply(stuck.till, stuck.back)
    await somebodyWaits(stuck.till.needs.db)
    slow.open()
    assert.equal((await releasing).voidedCount, 0)
    assert.equal(await applying, 2)
    await assertPaidOnce(stuck)
  })

  test('is voided by the release where that comes at the same moment and is second', async () => {
    const stuck = await stuckCredits(world())
    const slow = holding(stuck.till.needs)
    const applying = apply({ ...stuck.till, needs: slow.needs }, stuck.back)
    await slow.done
    const releasing = release(stuck)
    await somebodyWaits(stuck.till.needs.db)
    slow.open()
    assert.equal(await applying, 0)
    assert.equal((await releasing).voidedCount, 2)
    await assertPaidOnce(stuck)
  })
})

// As a release of an earlier version left them.
test('a credit that is open though its debit has come back goes into no file', async () => {
  const needs = world()
  const till = await openTill(needs)
  const TxID = await debit(till, { AccountNumber: '1234567890123451', Amount: 40 })
  const file = await printBankFile(needs, await settle(till))
  assert(file.ok)
  const waiting = await credit(till, TxID)
  await settle(till, { isAccepted: false })
  await apply(till, returnFileFor(file.value, Temporal.PlainDate.from('2027-01-20')) ?? '')
  await needs.db.run(leaveBatchStatement, [BigInt(waiting)])
  assert.equal((await settleAll(till)).text, 'Nothing to settle')
  assert.equal(
    (await settleSome(till, [waiting])).text,
    `Transaction ${waiting} cannot be settled: its debit has come back`,
  )
  assert.equal(await standingOf(till, waiting), 'open, in no batch, credited 0')
})
