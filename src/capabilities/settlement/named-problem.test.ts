import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listUnsettledItems } from '#capabilities/settlement/batch-release.store.ts'
import { problemWithNamed } from '#capabilities/settlement/named-problem.ts'
import { readNamed } from '#capabilities/settlement/named-transaction.store.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { debit, credit as creditDebit, undo as undoDebit } from '../../../test/support/bank-world.ts'
import { create, impatient } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { credit, openTill, sell, settleSome, type Till, undo } from '../../../test/support/till.ts'

const world = useWorld()

const idsStatement = statement(
  'test_ids_of_account',
  [int8],
  { id: int8, kind: text },
  'select attempt_id as id, kind from attempt where account_id = $1 order by attempt_id',
)
const makeOrderStatement = statement(
  'test_make_order',
  [int8],
  {},
  `update attempt set details = details || '{"orderId": "1"}' where attempt_id = $1`,
)
const makeForeignStatement = statement(
  'test_make_foreign',
  [int8],
  {},
  `update attempt set currency = 'EUR' where attempt_id = $1`,
)

async function idsOf({ needs, account }: Till) {
  const rows = await needs.db.run(idsStatement, [account.accountId])
  return rows.map(({ id, kind }) => ({ id: Number(id), kind }))
}

// What is sent from then on by this word, nobody answers.
async function unanswered<T>(
  { needs: { bank } }: Till,
  verb: 'authorize' | 'reverse' | 'refund',
  work: () => Promise<T>,
): Promise<T> {
  for (const silent of [verb, 'inquire'] as const)
    bank.faults.add({ verb: silent, delivery: { losesRequest: true, hangsUp: true } })
  return work()
}

// One transaction of every kind, in every state that a close may find it in.
async function busyDay() {
  const till = await openTill(impatient(world()))
  const { needs } = till
  const settled = await sell(till, 5)
  await settleSome(till, [settled])
  const [good, credited, alone] = [await sell(till, 10), await sell(till, 20), await sell(till, 1)]
  const given = Number((await credit(till, credited, 5)).members['TxID'])
  const [order, foreign] = [await sell(till, 6), await sell(till, 7)]
  await needs.db.run(makeOrderStatement, [BigInt(order)])
  await needs.db.run(makeForeignStatement, [BigInt(foreign)])
  const voided = await sell(till, 30)
  const voiding = Number((await undo(till, voided)).members['VoidTxID'])
  const declined = await sell(till, 10, { card: '4000000000000002' })
  assert((await create(needs, till.caller)).ok)
  const [debited, gone] = [await debit(till), await debit(till)]
  const back = Number((await creditDebit(till, debited, 5)).members['TxID'])
  const withdrawn = Number((await undoDebit(till, gone)).members['TxID'])
  const taken = await sell(till, 40)
  await unanswered(till, 'reverse', () => undo(till, taken))
  const unknownCredit = await unanswered(till, 'refund', () => credit(till, alone, 1))
  const unknown = await unanswered(till, 'authorize', () => sell(till, 50))
  return {
    till,
    cards: [good, credited, given],
    banks: [debited, back],
    refused: [
      [settled, 'it is settled in batch 1'],
      [order, 'it is an international order, which its bank settles by itself'],
      [foreign, 'it is in another currency than the merchant record'],
      [voided, 'it is voided'],
      [voiding, 'it is no sale or credit'],
      [declined, 'it is not approved'],
      [gone, 'it is voided'],
      [withdrawn, 'it is no sale or credit'],
      [taken, 'it is being voided or credited at this moment'],
      [Number(unknownCredit.members['TxID']), 'its outcome is not known yet'],
      [unknown, 'its outcome is not known yet'],
    ] as const,
  }
}

test('whatever belongs to the record and cannot be settled is refused in words', async () => {
  const { till, refused } = await busyDay()
  const verified = (await idsOf(till)).find(({ kind }) => kind === 'verify')?.id ?? 0
  for (const [id, why] of [...refused, [verified, 'it is an authorization of nothing'] as const]) {
    const told = await settleSome(till, [id])
    assert.deepEqual([told.code, told.text], [6402, `Transaction ${id} cannot be settled: ${why}`])
  }
})

test('of all that there is exactly what a close would take can be named', async () => {
  const { till, cards, banks } = await busyDay()
  const { accountId } = till.account
  const record = { accountId, merchantNumber: merchantNumber(1), currency: 'USD' }
  const all = (await idsOf(till)).map(({ id }) => BigInt(id))
  const named = await readNamed(till.needs.db, record, all)
  assert.equal(named.length, all.length)
  const free = named.filter((one) => problemWithNamed(one, record) === '').map(({ id }) => Number(id))
  const unsettled = await listUnsettledItems(till.needs.db, record, 0n)
  assert.deepEqual(
    free.toSorted((one, other) => one - other),
    unsettled.map(({ paymentId }) => Number(paymentId)),
  )
  assert.deepEqual(
    free.toSorted((one, other) => one - other),
    cards,
  )
  const told = await settleSome(till, [...cards, ...banks])
  assert.deepEqual([told.isApproved, told.batch['BatchTransCount']], [true, 5])
})
