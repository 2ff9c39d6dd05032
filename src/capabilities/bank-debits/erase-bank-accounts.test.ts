import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findItem } from '#capabilities/bank-debits/bank-item.store.ts'
import { eraseBankAccounts } from '#capabilities/bank-debits/erase-bank-accounts.operation.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { type Counter, credit, debit, openCounter, settle, undo } from '../../../test/support/bank-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()
const days = (count: number) => ({ hours: 24 * count })

// Whether the vault still has the number of the account.
async function isKept({ needs, caller }: Counter, TxID: number): Promise<boolean> {
  const item = await findItem(needs.db, { account: caller.accountId, id: BigInt(TxID) })
  assert(item)
  const refs = [{ account: caller.accountId, bankAccountId: item.bankAccountId }]
  const [opening] = await needs.vault.openBankAccounts(needs.db, refs)
  assert.equal(item.isAccountErased, !opening)
  return opening?.kind === 'opened'
}

test('the number of an account is erased 180 days after its debit was settled or voided', async () => {
  const counter = await openCounter(world())
  const [voided, settled] = [await debit(counter), await debit(counter)]
  await undo(counter, voided)
  const batch = await settle(counter)
  counter.needs.clock.advance(days(180))
  await eraseBankAccounts(counter.needs)
  assert.deepEqual([await isKept(counter, voided), await isKept(counter, settled)], [true, true])
  assert((await printBankFile(counter.needs, batch)).ok)
  counter.needs.clock.advance({ minutes: 1 })
  await eraseBankAccounts(counter.needs)
  assert.deepEqual([await isKept(counter, voided), await isKept(counter, settled)], [false, false])
  assert(!(await printBankFile(counter.needs, batch)).ok)
  assert.equal(await eraseBankAccounts(counter.needs), 0, 'once')
})

test('a debit whose number is erased is not credited, and the answer says why', async () => {
  const counter = await openCounter(world())
  const TxID = await debit(counter)
  await settle(counter)
  counter.needs.clock.advance(days(181))
  await eraseBankAccounts(counter.needs)
  const told = await credit(counter, TxID, 1)
  assert.deepEqual(
    [told.code, told.text],
    [6712, `Transaction ${TxID} cannot be credited: the number of its account is no longer kept`],
  )
})

test('what waits for a settlement keeps its number, however old it is', async () => {
  const counter = await openCounter(world())
  const [open, credited] = [await debit(counter), await debit(counter)]
  counter.needs.clock.advance(days(400))
  await eraseBankAccounts(counter.needs)
  assert(await isKept(counter, open))
  await settle(counter)
  await credit(counter, credited, 1)
  counter.needs.clock.advance(days(181))
  await eraseBankAccounts(counter.needs)
  assert.deepEqual([await isKept(counter, open), await isKept(counter, credited)], [false, true])
  // The file of the credit needs the number.
  await settle(counter)
  counter.needs.clock.advance(days(181))
  await eraseBankAccounts(counter.needs)
  assert(!(await isKept(counter, credited)))
})
