import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { findReceiptFor } from '#capabilities/receipts/generate-receipt.operation.ts'
import { releaseBatch } from '#capabilities/settlement/release-batch.operation.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { returnFileFor } from '../../../simulator/ach-bank.ts'
import {
  assertBankBooksAgree,
  credit as creditDebit,
  debit,
  settle,
  standingOf,
  undo,
} from '../../../test/support/bank-world.ts'
import { holding } from '../../../test/support/holding.ts'
import { backUp } from '../../../test/support/restored-database.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { somebodyWaits } from '../../../test/support/somebody-waits.ts'
import {
  call,
  eventsOf,
  openTill,
  sell,
  settleAll,
  type Till,
  undo as voidSale,
  withKey,
} from '../../../test/support/till.ts'

const world = useWorld()

async function credit(till: Till, TxID: number, amount: number): Promise<number> {
  const told = await creditDebit(till, TxID, amount)
  assert.equal(told.code, 0, told.text)
  return Number(told.members['TxID'])
}

describe('a credit of a bank debit that waits for its file', () => {
  test('is voided once, and the debit can be credited as much again', async () => {
    const till = await openTill(world())
    const TxID = await debit(till, { Amount: 40 })
    const [given, other] = [await credit(till, TxID, 30), await credit(till, TxID, 10)]
    const told = await undo(till, given)
    assert.deepEqual([told.text, told.members['TxApproved']], [`VOIDED Transaction ID : ${given}`, true])
    assert.equal(await standingOf(till, given), 'void, in no batch, credited 0')
    assert.equal(await standingOf(till, TxID), 'open, in no batch, credited 1000')
    const again = await undo(till, given)
    assert.deepEqual([again.code, again.text], [6711, `Transaction ${given} cannot be voided: it is voided`])
    assert.match((await creditDebit(till, TxID, 31)).text, /only 30.00 of it is left$/)
    assert.equal((await undo(till, other)).code, 0)
    assert.equal((await undo(till, TxID)).code, 0, 'without credits the debit is voided, too')
    assert.equal((await settleAll(till)).text, 'Nothing to settle')
    assert.equal((await eventsOf(till)).filter((type) => type === 'payment.voided').length, 3)
    await assertBankBooksAgree(till)
  })

  test('is voided by a call that is found again, and has the receipt of a void', async () => {
    const till = await openTill(world())
    const given = await credit(till, await debit(till), 7)
    const keyed = withKey(till, 'withdraw', 'ACH/Void')
    const told = await undo(keyed, given)
    assert.equal(told.code, 0, told.text)
    for (const sought of [{ IdempotencyKey: 'withdraw' }, { TxID: told.members['TxID'] }]) {
      const { members } = await call(till, 'Operation/Lookup', sought)
      const [found] = Object(members['Operations'])
      assert.deepEqual([found.Operation, found.State, found.RefTxID], ['ACH/Void', 'approved', given])
    }
    const receipt = await findReceiptFor(till.needs, till.caller, { type: 8, subject: BigInt(given) })
    assert.equal(receipt.ok && receipt.value.title, 'Void of a refund to a bank account')
  })

  test('is voided by ACH/Void alone, and only by whoever it belongs to', async () => {
    const till = await openTill(world())
    const given = await credit(till, await debit(till), 7)
    assert.match((await voidSale(till, given)).text, /it is no approved sale$/)
    assert.equal((await undo(await openTill(till.needs), given)).code, 6724)
    assert.equal(await standingOf(till, given), 'open, in no batch, credited 0')
  })
})

test('a credit that is in a batch or was sent is not voided, and the answer says why', async () => {
  const till = await openTill(world())
  const TxID = await debit(till, { Amount: 40 })
  await settle(till)
  const sent = await credit(till, TxID, 1)
  await settle(till)
  const onItsWay = await credit(till, TxID, 1)
  await settle(till, { isAccepted: false })
  for (const [one, why] of [
    [sent, 'it is settled'],
    [onItsWay, 'it is on its way to the bank'],
  ] as const) {
    const told = await undo(till, one)
    assert.deepEqual([told.code, told.text], [6711, `Transaction ${one} cannot be voided: ${why}`])
  }
  assert.equal(await standingOf(till, TxID), 'settled, in a batch, credited 200')
  assert.equal((await verifyLedger(till.needs.db)).isSound, true)
})

test('a debit that an earlier file took is voided after a restore, though credited since', async () => {
  const needs = world()
  const till = await openTill(needs)
  const TxID = await debit(till, { Amount: 40 })
  await sell(till, 20)
  const restore = await backUp(till)
  assert((await settleAll(till)).isApproved)
  await restore()
  const given = await credit(till, TxID, 10)
  needs.clock.advance({ minutes: 10 })
  const batch = BigInt((await settleAll(till)).batch['BatchLogID'] ?? 0)
  const wish = { account: till.account.accountId, batch, reason: 'Restored to noon', operator: 'olga' }
  assert((await releaseBatch(needs, wish)).ok)
  assert.match((await undo(till, TxID)).text, /void its credits first/)
  for (const one of [given, TxID]) assert.equal((await undo(till, one)).code, 0)
  assert.equal((await settleAll(till)).text, 'Nothing to settle')
})

describe('of the void of a credit', () => {
  test('and a settlement at the same moment one wins', async () => {
    const till = await openTill(world())
    const TxID = await debit(till, { Amount: 40 })
    await settle(till)
    for (let round = 0; round < 5; round += 1) {
      const given = await credit(till, TxID, 1)
      const [told] = await Promise.all([undo(till, given), settleAll(till)])
      assert.match((await undo(till, given)).text, told.code === 0 ? /it is voided$/ : /it is settled$/)
    }
    assert.equal((await verifyLedger(till.needs.db)).isSound, true)
  })

  test('and the return of its debit at the same moment one voids it, whichever is first', async () => {
    for (const isVoidFirst of [true, false]) {
      const till = await openTill(world())
      const TxID = await debit(till, { AccountNumber: '1234567890123451', Amount: 40 })
      const file = await printBankFile(till.needs, await settle(till))
      assert(file.ok)
      const back = returnFileFor(file.value, Temporal.PlainDate.from('2027-01-20')) ?? ''
      const given = await credit(till, TxID, 15)
      const slow = holding(till.needs)
      const first = { ...till, needs: slow.needs }
      const voiding = isVoidFirst ? undo(first, given) : null
      const returning = isVoidFirst ? null : applyReturns(slow.needs, back)
      await slow.done
      const second = isVoidFirst ? applyReturns(till.needs, back) : undo(till, given)
      await somebodyWaits(till.needs.db)
      slow.open()
      await Promise.all([voiding, returning, second])
      assert.match((await undo(till, given)).text, /it is voided$/)
      assert.equal(await standingOf(till, TxID), 'returned, in a batch, credited 0')
      await assertBankBooksAgree(till)
    }
  })
})
