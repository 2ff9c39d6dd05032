import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { resolveBatches } from '#capabilities/settlement/resolve-batches.operation.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { debit } from '../../../test/support/bank-world.ts'
import { impatient } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, sell, settleAll, settleSome, type Till, useTerminal } from '../../../test/support/till.ts'

const world = useWorld()

const damageStatement = statement(
  'test_damage_bank_account',
  [int8],
  {},
  `update vault_bank_account set ciphertext = set_byte(ciphertext, 0, get_byte(ciphertext, 0) # 1)
   where bank_account_id = (select bank_account_id from bank_item where attempt_id = $1)`,
)
const changeItemStatement = statement(
  'test_change_bank_item',
  [int8, int8],
  {},
  `update bank_item set total_minor = total_minor + $2 where attempt_id = $1`,
)
const itemsStatement = statement(
  'test_bank_items',
  [int8],
  { told: text },
  `select status || ' ' || (batch_id is not null) as told from bank_item where account_id = $1
   order by attempt_id`,
)
const cardsStatement = statement(
  'test_cards_in_batches',
  [int8],
  { payment_id: int8 },
  `select b.payment_id from batch_item b join payment p using (payment_id) where p.account_id = $1`,
)

async function itemsOf({ needs, account }: Till): Promise<readonly string[]> {
  return (await needs.db.run(itemsStatement, [account.accountId])).map(({ told }) => told)
}

test('a debit whose account cannot be read is left out, and everything else is settled', async () => {
  const till = await openTill(world())
  await sell(till, 10)
  const [bad] = [await debit(till), await debit(till, { Amount: 20 })]
  await till.needs.db.run(damageStatement, [BigInt(bad)])
  const told = await settleAll(till)
  assert.deepEqual(
    [told.isApproved, told.batch['BatchNetAmount'], told.batch['RemainingUnsettled']],
    [true, 30, 1],
  )
  assert.deepEqual(await itemsOf(till), ['open false', 'settled true'])
  const problem = 'the number of its account cannot be read'
  assert(till.needs.lines.some(({ fields }) => 'problem' in fields && fields.problem === problem))
  const named = `Transaction ${bad} cannot be settled: ${problem}`
  assert.equal((await settleSome(till, [bad])).text, named)
})

test('more than one file has room for is settled in two batches', async () => {
  const till = await openTill(world())
  const which = { account: till.account.accountId, merchant: merchantNumber(1) }
  const changes = { limitPerChargeMinor: 9_999_999_999n }
  assert((await changeMerchant(till.needs, { ...which, changes })).ok)
  await sell(till, 10)
  for (let count = 0; count < 101; count += 1) await debit(till, { Amount: 99_999_999.99 })
  const first = await settleAll(till)
  assert.deepEqual([first.isApproved, first.batch['BatchTransCount']], [true, 101])
  assert.equal(first.batch['RemainingUnsettled'], 1)
  assert.deepEqual((await settleAll(till)).batch['BatchTransCount'], 1)
})

test('a debit that the books tell differently stops the close, and nothing is taken', async () => {
  const till = await openTill(world())
  await sell(till, 10)
  const bad = await debit(till)
  await till.needs.db.run(changeItemStatement, [BigInt(bad), 1n])
  const told = await settleAll(till)
  const words = `The books do not agree with transaction ${bad}; nothing was settled`
  assert.deepEqual([told.code, told.text], [6405, words])
  assert.deepEqual(await itemsOf(till), ['open false'])
  assert.deepEqual(await till.needs.db.run(cardsStatement, [till.account.accountId]), [])
  await till.needs.db.run(changeItemStatement, [BigInt(bad), -1n])
  assert.equal((await settleAll(till)).batch['BatchTransCount'], 2)
})

test('an acceptance is recorded, whatever has become of an account after the batch was sent', async () => {
  const patient = await openTill(world())
  const till = { ...patient, needs: impatient(patient.needs) }
  await sell(till, 10)
  const TxID = await debit(till)
  till.needs.bank.faults.add({ verb: 'settle', times: 1, delivery: { losesAnswer: true } })
  assert.equal((await settleAll(till)).code, 6403)
  await till.needs.db.run(damageStatement, [BigInt(TxID)])
  assert.equal((await settleAll(till)).isApproved, true)
  assert.deepEqual(await itemsOf(till), ['settled true'])
})

test('a batch whose file can no longer be made is not sent, and keeps no other batch waiting', async () => {
  const needs = world()
  const patient = [await openTill(needs), await openTill(needs)]
  const [broken, other] = patient.map((till) => ({ ...till, needs: impatient(till.needs) }))
  assert(broken && other)
  for (const till of [broken, other]) {
    await sell(till, 10)
    const TxID = await debit(till)
    needs.bank.faults.add({ verb: 'settle', times: 1, delivery: { losesRequest: true } })
    assert.equal((await settleAll(till)).code, 6403)
    if (till === broken) await needs.db.run(damageStatement, [BigInt(TxID)])
  }
  await resolveBatches(broken.needs)
  assert.deepEqual([await itemsOf(broken), await itemsOf(other)], [['open true'], ['settled true']])
  const sent = (await needs.bank.log.read({ last: 100 })).filter(({ verb }) => verb === 'settle')
  assert.equal(sent.length, 1)
})

test('a batch that throws keeps no other batch waiting', async () => {
  const needs = world()
  const patient = [await openTill(needs), await openTill(needs)]
  const [broken, other] = patient.map((till) => ({ ...till, needs: impatient(till.needs) }))
  assert(broken && other)
  for (const till of [broken, other]) {
    await debit(till)
    await sell(till, 10)
    needs.bank.faults.add({ verb: 'settle', times: 1, delivery: { losesAnswer: true } })
    assert.equal((await settleAll(till)).code, 6403)
  }
  const batchCompanions = broken.needs.batchCompanions.map((companion): typeof companion => ({
    ...companion,
    accepted: async (tx, batch, at) => {
      if (batch.accountId === broken.account.accountId) throw new Error('A disk is full')
      await companion.accepted(tx, batch, at)
    },
  }))
  await resolveBatches({ ...broken.needs, batchCompanions })
  assert.deepEqual([await itemsOf(broken), await itemsOf(other)], [['open true'], ['settled true']])
  needs.clock.advance({ minutes: 2 })
  await resolveBatches(broken.needs)
  assert.deepEqual(await itemsOf(broken), ['settled true'])
})

test('a file that goes out on a later day carries the date of that day', async () => {
  const till = await openTill(world())
  await sell(till, 10)
  await debit(till)
  await useTerminal(till, 'REJECT')
  const rejected = await settleAll(till)
  const batch = BigInt(rejected.batch['BatchLogID'] ?? 0)
  const early = await printBankFile(till.needs, batch)
  assert.equal(early.ok ? 'ok' : early.refusal.kind, 'bank_file_not_found')
  till.needs.clock.advance({ hours: 48 })
  await useTerminal(till, 'T1')
  assert.equal((await settleAll(till)).isApproved, true)
  const file = await printBankFile(till.needs, batch)
  assert(file.ok)
  assert.equal(file.value.slice(23, 29), '270117')
})

function dieOnceClosed(point: string): void {
  if (point === 'batch_closed') throw new Crash(point)
}

const paused = { kind: 'paused', because: 'this database was restored' } as const

test('while the gateway is paused no debit goes out', async () => {
  const till = await openTill(world())
  await debit(till)
  const held = { ...till, needs: { ...till.needs, sending: { hold: paused } } }
  const told = await settleAll(held)
  assert.equal(told.isApproved, false)
  assert.equal(told.members['FailReason'], 'the acquirer cannot be reached')
  assert.deepEqual(await itemsOf(till), ['open true'])
  assert.equal((await settleAll(till)).isApproved, true)
  assert.deepEqual(await itemsOf(till), ['settled true'])
})

test('while the gateway is paused a close that was cut short is not gone on with', async () => {
  const till = await openTill(world())
  await debit(till)
  await assert.rejects(settleAll({ ...till, needs: { ...till.needs, crashpoint: dieOnceClosed } }), Crash)
  till.needs.clock.advance({ minutes: 2 })
  assert.equal(await resolveBatches({ ...till.needs, sending: { hold: paused } }), 0)
  assert.deepEqual(await itemsOf(till), ['open true'])
  assert.equal(await resolveBatches(till.needs), 1)
  assert.deepEqual(await itemsOf(till), ['settled true'])
})
