import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { credit, openTill, sell, settleAll, settleSome, undo } from '../../../test/support/till.ts'

const world = useWorld()

test('exactly the named transactions are settled', async () => {
  const till = await openTill(world())
  const [one, two, three] = [await sell(till, 10), await sell(till, 20), await sell(till, 40)]
  const back = Number((await credit(till, three, 5)).members['TxID'])
  const told = await settleSome(till, [three, one, back])
  assert.deepEqual([told.isApproved, told.batch['BatchTransCount']], [true, 3])
  assert.deepEqual([told.batch['BatchNetAmount'], told.batch['RemainingUnsettled']], [45, 1])
  assert.equal((await settleAll(till)).batch['BatchNetAmount'], 20)
  assert(two > one)
})

test('a credit that is named settles before its sale, which the next batch brings', async () => {
  const till = await openTill(world())
  const sale = await sell(till, 40)
  const back = Number((await credit(till, sale, 15)).members['TxID'])
  const early = await settleSome(till, [back])
  assert.deepEqual(
    [early.isApproved, early.batch['BatchNetAmount'], early.batch['RemainingUnsettled']],
    [true, -15, 1],
  )
  assert.match((await undo(till, sale)).text, /it has been credited in part/)
  assert.equal((await settleAll(till)).batch['BatchNetAmount'], 40)
  assert.equal((await verifyLedger(till.needs.db)).isSound, true)
})

const missing = (id: number) => `Could NOT retrieve transaction details for TXID ${id}`

test('a list is refused as a whole, and says which one and why', async () => {
  const till = await openTill(world())
  const other = await openTill(till.needs)
  await makeMerchant(till.needs, till.account)
  const [good, settled, voided] = [await sell(till, 10), await sell(till, 20), await sell(till, 30)]
  const declined = await sell(till, 10, { card: '4000000000000002' })
  const elsewhere = await sell(till, 10, { record: 2 })
  const foreign = await sell(other, 10)
  await settleSome(till, [settled])
  await undo(till, voided)
  const cases: readonly (readonly [number, number, string])[] = [
    [settled, 6402, `Transaction ${settled} cannot be settled: it is settled in batch 1`],
    [voided, 6402, `Transaction ${voided} cannot be settled: it is voided`],
    [declined, 6402, `Transaction ${declined} cannot be settled: it is not approved`],
    [elsewhere, 6724, missing(elsewhere)],
    [foreign, 6724, missing(foreign)],
    [987_654_321, 6724, missing(987_654_321)],
  ]
  for (const [id, code, words] of cases) {
    const told = await settleSome(till, [good, id])
    assert.deepEqual([told.code, told.text, told.isApproved], [code, words, false])
    assert.equal(told.batch['RemainingUnsettled'], 1, 'the good one is left')
  }
  assert.equal((await settleAll(till)).batch['BatchTransCount'], 1)
})

test('the same id twice is refused, and an empty list settles nothing', async () => {
  const till = await openTill(world())
  const sale = await sell(till, 10)
  const twice = await settleSome(till, [sale, sale])
  assert.deepEqual([twice.code, twice.text], [4003, `TransactionIDs names ${sale} twice`])
  const none = await settleSome(till, [])
  assert.deepEqual([none.code, none.isApproved, none.text], [0, false, 'Nothing to settle'])
  assert.equal(none.batch['RemainingUnsettled'], 1)
  assert.equal(twice.batch['RemainingUnsettled'], -1, 'nobody has looked')
})
