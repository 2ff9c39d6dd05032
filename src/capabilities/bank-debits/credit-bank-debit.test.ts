import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findItem } from '#capabilities/bank-debits/bank-item.store.ts'
import { repeatBankCredit } from '#capabilities/bank-debits/credit-bank-debit.operation.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import { credit, debit, openCounter, settle, undo } from '../../../test/support/bank-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

test('a credit is an item of its own that goes to the bank with the next settlement', async () => {
  const counter = await openCounter(world())
  const TxID = await debit(counter)
  await settle(counter)
  const told = await credit(counter, TxID, 10.25)
  const id = Number(told.members['TxID'])
  assert.equal(told.text, `Successful Credit Pending Transaction ID : ${String(id).padStart(6, '0')}`)
  const { needs, caller } = counter
  const item = await findItem(needs.db, { account: caller.accountId, id: BigInt(id) })
  assert.deepEqual([item?.kind, item?.status, item?.total.minor], ['credit', 'open', 1025n])
  const own = { account: caller.accountId, attempt: attemptId(BigInt(id)) }
  const attempt = await findAttemptOf(needs, own)
  assert(attempt)
  assert.equal((await repeatBankCredit(needs, attempt)).ok, true)
  assert.equal((await verifyLedger(needs.db)).isSound, true)
})

test('parts add up to the debit and never beyond, however many come at once', async () => {
  const counter = await openCounter(world())
  const TxID = await debit(counter, { Amount: 10 })
  await settle(counter)
  const answers = await Promise.all(Array.from({ length: 12 }, () => credit(counter, TxID, 3)))
  assert.equal(answers.filter(({ code }) => code === 0).length, 3)
  const over = await credit(counter, TxID, 1.01)
  assert.deepEqual(
    [over.code, over.text],
    [6712, `Transaction ${TxID} cannot be credited: only 1.00 of it is left`],
  )
  assert.equal((await credit(counter, TxID, 1)).code, 0)
})

test('what is voided, on its way or a credit itself cannot be credited', async () => {
  const counter = await openCounter(world())
  const voided = await debit(counter)
  await undo(counter, voided)
  assert.match((await credit(counter, voided, 1)).text, /it is voided/)
  const TxID = await debit(counter)
  const credited = Number((await credit(counter, TxID, 1)).members['TxID'])
  assert.match((await credit(counter, credited, 1)).text, /it is no bank debit/)
  await settle(counter, { isAccepted: false })
  assert.match((await credit(counter, TxID, 1)).text, /it is on its way to the bank/)
})

for (const [amount, problem] of [
  [0, /CreditAmount must be more than 0/],
  [0.001, /CreditAmount has more decimals/],
] as const) {
  test(`a credit of ${amount} is refused by name`, async () => {
    const counter = await openCounter(world())
    const told = await credit(counter, await debit(counter), amount)
    assert.equal(told.code, 4003)
    assert.match(told.text, problem)
  })
}

test('a debit of another account is not found', async () => {
  const needs = world()
  const [own, other] = [await openCounter(needs), await openCounter(needs)]
  assert.equal((await credit(other, await debit(own), 1)).code, 6724)
})
