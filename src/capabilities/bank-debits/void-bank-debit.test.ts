import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { chargeCard } from '#capabilities/sales/charge-card.operation.ts'
import { voidSale } from '#capabilities/sales/void-sale.operation.ts'
import { serve } from '#capabilities/wire/contract.ts'
import { repeatBankVoid } from '#capabilities/bank-debits/void-bank-debit.operation.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import {
  bankVoid,
  credit,
  debit,
  openCounter,
  settle,
  toldBy,
  undo,
} from '../../../test/support/bank-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

test('an open debit is voided once, and never goes to the bank', async () => {
  const counter = await openCounter(world())
  const TxID = await debit(counter)
  const told = await undo(counter, TxID)
  assert.deepEqual([told.text, told.members['TxApproved']], [`VOIDED Transaction ID : ${TxID}`, true])
  const again = await undo(counter, TxID)
  assert.deepEqual([again.code, again.text], [6711, `Transaction ${TxID} cannot be voided: it is voided`])
  const { needs, caller } = counter
  const own = { account: caller.accountId, attempt: attemptId(BigInt(Number(told.members['TxID']))) }
  const attempt = await findAttemptOf(needs, own)
  assert(attempt)
  assert.equal((await repeatBankVoid(needs, attempt)).ok, true)
  assert.equal((await verifyLedger(needs.db)).isSound, true)
})

test('one that is on its way, settled or credited cannot be voided, and the answer says why', async () => {
  const counter = await openCounter(world())
  const credited = await debit(counter)
  assert.equal((await credit(counter, credited, 1)).code, 0)
  assert.match(
    (await undo(counter, credited)).text,
    /it has been credited in part: void its credits first, or credit the rest of it instead$/,
  )
  const whole = await debit(counter, { Amount: 5 })
  assert.equal((await credit(counter, whole, 5)).code, 0)
  assert.match((await undo(counter, whole)).text, /it has been credited in full: void its credits first$/)
  const sent = await debit(counter)
  await settle(counter, { isAccepted: false })
  assert.match((await undo(counter, sent)).text, /it is on its way to the bank/)
  const settled = await debit(counter)
  await settle(counter)
  assert.match((await undo(counter, settled)).text, /it is settled: credit it instead/)
})

test('of a void and a settlement at the same moment one wins', async () => {
  const counter = await openCounter(world())
  for (let round = 0; round < 10; round++) {
    const TxID = await debit(counter)
    const [told] = await Promise.all([undo(counter, TxID), settle(counter)])
    const after = await undo(counter, TxID)
    const ends = { 0: /it is voided/, 6711: /it is settled/ }
    assert.match(after.text, told.code === 0 ? ends[0] : ends[6711])
  }
  assert.equal((await verifyLedger(counter.needs.db)).isSound, true)
})

test('a card sale is no bank debit, and a bank debit no card sale', async () => {
  const counter = await openCounter(world())
  const { needs, caller } = counter
  const sale = serve(chargeCardContract, chargeCard)
  const sold = toldBy(await sale.answer(needs, caller, chargeCardContract.example.request))
  assert.match((await undo(counter, Number(sold.members['TxID']))).text, /it is no bank debit/)
  const saleId = attemptId(BigInt(await debit(counter)))
  const voided = await voidSale(needs, caller, { saleId })
  assert(!voided.ok)
  assert.deepEqual(
    [voided.refusal.kind, voided.refusal.details['problem']],
    ['sale_not_open', 'it is a bank debit: use ACH/Void or ACH/ApplyCredit'],
  )
})

test('a debit of another account or another merchant record is not found', async () => {
  const needs = world()
  const [own, other] = [await openCounter(needs), await openCounter(needs)]
  const TxID = await debit(own)
  assert.equal((await undo(other, TxID)).code, 6724)
  const bound = { ...own.caller, merchantNumber: merchantNumber(2) }
  assert.equal(toldBy(await bankVoid.answer(needs, bound, { TxID })).code, 6724)
})
