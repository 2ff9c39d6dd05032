import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolveBatches } from '#capabilities/settlement/resolve-batches.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { int8 } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import { callerKey, impatient } from '../../../test/support/consent-world.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import {
  credit,
  eventsOf,
  openTill,
  sell,
  settleAll,
  settleSome,
  type Till,
  undo,
  useTerminal,
} from '../../../test/support/till.ts'

const world = useWorld()

const makeDomesticStatement = statement(
  'test_make_domestic',
  [int8],
  {},
  `update merchant set is_international = false where account_id = $1`,
)

async function bankBatches({ needs }: Till): Promise<readonly string[]> {
  const rows = await needs.bank.log.read({ last: 1_000 })
  return rows
    .filter(({ verb }) => verb === 'settle')
    .map(({ ref, amountMinor, reply }) => `${ref} ${amountMinor} ${reply.outcome}`)
    .toReversed()
}

test('the day is closed with every field of the batch', async () => {
  const till = await openTill(world())
  const first = await sell(till, 20)
  till.needs.clock.advance({ hours: 3 })
  await sell(till, 30)
  await credit(till, first, 5)
  const voided = await sell(till, 100)
  await undo(till, voided)
  await sell(till, 9900.05)
  const told = await settleAll(till)
  const { BatchLogID, TxLock, ...batch } = told.batch
  assert.deepEqual(
    [told.code, told.isApproved, told.text],
    [0, true, 'Successful Settlement : OK 001 0115 0000'],
  )
  assert.deepEqual(batch, {
    BatchNum: 1,
    BatchOpen: 115270500,
    BatchClose: 115270800,
    BatchTransCount: 3,
    BatchNetAmount: 45,
    RemainingUnsettled: 0,
    Code: 'A',
    ResultText: 'OK 001 0115 0000',
  })
  assert(Number(BatchLogID) > 0)
  assert.match(String(TxLock), /^[0-9A-F]{16}$/)
  assert((await eventsOf(till)).includes('batch.closed'))
})

test('nothing to settle is no failure and uses no number', async () => {
  const till = await openTill(world())
  const told = await settleAll(till)
  assert.deepEqual([told.code, told.isApproved, told.text], [0, false, 'Nothing to settle'])
  assert.deepEqual(told.batch, {
    BatchLogID: 0,
    BatchNum: 0,
    BatchOpen: 0,
    BatchClose: 0,
    BatchTransCount: 0,
    BatchNetAmount: 0,
    RemainingUnsettled: 0,
    Code: '',
    ResultText: '',
    TxLock: '0',
  })
  await sell(till, 10)
  assert.equal((await settleAll(till)).batch['BatchNum'], 1)
  assert.equal((await settleAll(till)).text, 'Nothing to settle')
})

test('numbers count up within the account, and each record settles its own', async () => {
  const till = await openTill(world())
  await makeMerchant(till.needs, till.account)
  await sell(till, 10)
  await sell(till, 20, { record: 2 })
  const [one, two] = [await settleAll(till, 1), await settleAll(till, 2)]
  assert.deepEqual([one.batch['BatchNum'], two.batch['BatchNum']], [1, 2])
  assert.deepEqual([one.batch['BatchNetAmount'], two.batch['BatchNetAmount']], [10, 20])
})

test('a day of credits alone has a negative sum', async () => {
  const till = await openTill(world())
  const sale = await sell(till, 50)
  await settleAll(till)
  assert.equal((await credit(till, sale, 12.5)).code, 0)
  const told = await settleAll(till)
  assert.deepEqual(
    [told.isApproved, told.batch['BatchNetAmount'], told.batch['BatchTransCount']],
    [true, -12.5, 1],
  )
})

test('a settled sale is not voided, and can be credited', async () => {
  const till = await openTill(world())
  const sale = await sell(till, 50)
  await settleAll(till)
  const told = await undo(till, sale)
  const words = `Transaction ${sale} cannot be voided: it is settled in batch 1: credit it instead`
  assert.deepEqual([told.code, told.text], [6701, words])
  assert.equal((await credit(till, sale, 50)).code, 0)
})

test('a failed batch keeps its lock and is settled again as the same group', async () => {
  const till = await openTill(world())
  const sale = await sell(till, 50)
  await useTerminal(till, 'REJECT-1')
  const failed = await settleAll(till)
  assert.deepEqual([failed.code, failed.isApproved, failed.batch['Code']], [0, false, 'F'])
  assert.equal(failed.text, 'Failed Settlement : NO 001 0115 0000')
  assert.equal(failed.members['FailReason'], 'rejected with code 95')
  assert.match((await undo(till, sale)).text, /cannot be voided: it is locked by batch 1/)
  assert.match((await credit(till, sale, 1)).text, /cannot be credited: it is locked by batch 1/)
  await sell(till, 70)
  const again = await settleAll(till)
  assert.deepEqual([again.batch['BatchNum'], again.batch['RemainingUnsettled']], [1, 1])
  await useTerminal(till, 'T1')
  const settled = await settleAll(till)
  assert.deepEqual([settled.isApproved, settled.batch['BatchNum']], [true, 1])
  for (const member of [
    'BatchLogID',
    'TxLock',
    'BatchNetAmount',
    'BatchTransCount',
    'BatchOpen',
    'BatchClose',
  ])
    assert.equal(settled.batch[member], failed.batch[member])
  assert.equal(settled.batch['RemainingUnsettled'], 1)
  const tries = await bankBatches(till)
  assert.equal(new Set(tries.map((one) => one.split(' ')[0])).size, 1, 'one reference')
  assert.deepEqual(
    tries.map((one) => one.split(' ').slice(1).join(' ')),
    ['5000 declined', '5000 declined', '5000 approved'],
  )
  assert.equal((await settleAll(till)).batch['BatchNum'], 2)
  const events = (await eventsOf(till)).filter((type) => type.startsWith('batch'))
  assert.deepEqual(events, ['batch.failed', 'batch.failed', 'batch.closed', 'batch.closed'])
})

test('a batch whose answer was lost is asked for and never built anew', async () => {
  const patient = await openTill(world())
  const till = { ...patient, needs: impatient(patient.needs) }
  const sale = await sell(till, 50)
  await sell(till, 70)
  till.needs.bank.faults.add({ verb: 'settle', times: 1, delivery: { losesAnswer: true } })
  const lost = await settleSome(till, [sale])
  assert.deepEqual(
    [lost.code, lost.isApproved, lost.batch['Code'], lost.batch['BatchNum']],
    [6403, false, '', 1],
  )
  assert.equal(lost.batch['RemainingUnsettled'], 1)
  const told = await settleAll(till)
  assert.deepEqual([told.isApproved, told.batch['BatchNum'], told.batch['BatchNetAmount']], [true, 1, 50])
  assert.equal(told.batch['RemainingUnsettled'], 1)
  assert.equal((await bankBatches(till)).length, 1)
})

test('a batch that never arrived is sent again, the same', async () => {
  const patient = await openTill(world())
  const till = { ...patient, needs: impatient(patient.needs) }
  await sell(till, 50)
  till.needs.bank.faults.add({ verb: 'settle', times: 1, delivery: { losesRequest: true } })
  assert.equal((await settleAll(till)).code, 6403)
  await resolveBatches(till.needs)
  assert.equal((await settleAll(till)).text, 'Nothing to settle')
  assert.equal((await bankBatches(till)).length, 1)
})

test('the same key tells the same batch, whatever happened since', async () => {
  const till = await openTill(world())
  const keyed = (key: string): Till => ({
    ...till,
    caller: { ...till.caller, callerKey: callerKey(key, 'Settlement/ExecuteBatch_All') },
  })
  await sell(till, 50)
  await useTerminal(till, 'REJECT-1')
  const failed = await settleAll(keyed('evening'))
  await useTerminal(till, 'T1')
  const settled = await settleAll(keyed('night'))
  await sell(till, 70)
  assert.deepEqual(await settleAll(keyed('evening')), failed)
  assert.deepEqual(await settleAll(keyed('night')), settled)
  assert.equal(settled.batch['RemainingUnsettled'], 0)
  assert.equal((await bankBatches(till)).length, 2)
})

test('a key that found nothing to settle is not used up', async () => {
  const till = await openTill(world())
  const keyed = {
    ...till,
    caller: { ...till.caller, callerKey: callerKey('k', 'Settlement/ExecuteBatch_All') },
  }
  assert.equal((await settleAll(keyed)).text, 'Nothing to settle')
  await sell(till, 5)
  assert.equal((await settleAll(keyed)).isApproved, true)
})

test('of many closes at once one closes and the others find nothing or hear that it is running', async () => {
  const till = await openTill(world())
  for (const amount of [10, 20, 30]) await sell(till, amount)
  const told = await Promise.all(Array.from({ length: 10 }, () => settleAll(till)))
  assert.equal(told.filter(({ isApproved }) => isApproved).length, 1)
  for (const { code, isApproved } of told) assert(isApproved || code === 0 || code === 6401)
  assert.equal((await bankBatches(till)).length, 1)
})

const changePaymentStatement = statement(
  'test_change_payment',
  [int8, int8],
  {},
  `update attempt set approved_minor = approved_minor + $2 where attempt_id = $1`,
)

test('a batch closes only if its rows and the books agree', async () => {
  const till = await openTill(world())
  const [good, bad] = [await sell(till, 10), await sell(till, 20)]
  await till.needs.db.run(changePaymentStatement, [BigInt(bad), 1n])
  const told = await settleAll(till)
  assert.deepEqual(
    [told.code, told.text],
    [6405, `The books do not agree with transaction ${bad}; nothing was settled`],
  )
  assert.equal(told.batch['RemainingUnsettled'], 2)
  await till.needs.db.run(changePaymentStatement, [BigInt(bad), -1n])
  assert.equal((await settleAll(till)).batch['BatchTransCount'], 2)
  assert(good > 0)
})

test('a batch whose rows were changed after it was sent is not sent again', async () => {
  const till = await openTill(world())
  const sale = await sell(till, 10)
  await useTerminal(till, 'REJECT-1')
  assert.equal((await settleAll(till)).batch['Code'], 'F')
  await till.needs.db.run(changePaymentStatement, [BigInt(sale), 100n])
  await useTerminal(till, 'T1')
  assert.equal((await settleAll(till)).code, 6404)
})

test('a token for one merchant record does not close another, nor one that does not exist', async () => {
  const till = await openTill(world())
  const bound = { ...till, caller: { ...till.caller, merchantNumber: merchantNumber(2) } }
  assert.equal((await settleAll(bound)).code, 6001)
  assert.equal((await settleAll(till, 9)).code, 6001)
  await makeMerchant(till.needs, till.account, { isInternational: true })
  assert.equal((await settleAll(till, 2)).code, 6406)
})

test('an order never gets into a batch, whatever becomes of its merchant record', async () => {
  const till = await openTill(world())
  await makeMerchant(till.needs, till.account, { isInternational: true })
  const sale = await sell(till, 10, { record: 2 })
  await credit(till, sale, 4)
  await till.needs.db.run(makeDomesticStatement, [till.account.accountId])
  till.needs.clock.advance({ minutes: 10 })
  const told = await settleAll(till, 2)
  assert.deepEqual([told.code, told.batch['BatchTransCount']], [0, 0])
  assert.deepEqual(await bankBatches(till), [])
})

function slow(asker: Queryable): Queryable['run'] {
  return async (asked, values) => {
    if (asked.name === 'count_unsettled') throw Object.assign(new Error('too slow'), { code: '57014' })
    return asker.run(asked, values)
  }
}

test('a batch is accepted also when what is left cannot be counted in time', async () => {
  const till = await openTill(world())
  await sell(till, 10)
  const { db } = till.needs
  const needs: typeof till.needs = {
    ...till.needs,
    db: {
      ...db,
      run: slow(db),
      inTransaction: (work) => db.inTransaction((tx) => work({ isTransaction: true, run: slow(tx) })),
    },
  }
  const told = await settleAll({ ...till, needs })
  assert.deepEqual([told.isApproved, told.batch['RemainingUnsettled']], [true, -1])
})
