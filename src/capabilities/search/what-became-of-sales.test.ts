import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectDisputesWork } from '#capabilities/disputes/collect-disputes.task.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { callerOfNewUser } from '../../../test/support/consent-world.ts'
import { call, credit, openTill, sell, type Till, undo } from '../../../test/support/till.ts'

const world = useWorld()

type Listed = Readonly<Record<string, unknown>>

async function find(till: Till, id: number): Promise<Listed> {
  const { members } = await call(till, 'Query/Transaction', { Query: `(H=${id})` })
  const [record] = Object(members['Transactions']) as readonly Listed[]
  assert(record, `transaction ${id} is found`)
  return record
}

test('a sale that was charged back shows since when, why and how it stands', async () => {
  const till = await openTill(world())
  const id = await sell(till, 9900.4)
  const disputeAfter = async (hours: number) => {
    till.needs.clock.advance({ hours })
    await runDueNow(till.needs, collectDisputesWork, till.account.accountId)
    const record = await find(till, id)
    return ['TxSTATUS', 'chargeback_date', 'reason_code', 'DisputeStatus'].map((name) => record[name])
  }
  assert.deepEqual(await disputeAfter(71), ['OPEN', null, null, ''])
  assert.deepEqual(await disputeAfter(1), ['OPEN', '2027-01-18T10:00:00.000Z', '10.4', 'OPEN'])
  assert.deepEqual(await disputeAfter(240), ['OPEN', '2027-01-18T10:00:00.000Z', '10.4', 'LOST'])
})

test('a voided sale names its void, and who asked for it', async () => {
  const till = await openTill(world())
  const id = await sell(till, 10)
  const open = await find(till, id)
  assert.deepEqual([open['RefTxID'], open['LAST_CHANGED_BY']], [0, 'till'], 'the API user, without a User')
  const { members } = await undo(till, id)
  const record = await find(till, id)
  assert.deepEqual(
    [record['TxSTATUS'], record['RefTxID'], record['LAST_CHANGED_BY']],
    ['VOID', members['VoidTxID'], 'till'],
  )
})

test('a sale is told as changed by whoever credited it last, and when', async () => {
  const till = await openTill(world())
  const office = { ...till, caller: await callerOfNewUser(till.needs, till.account, 'office') }
  const [id, whole] = [await sell(till, 10), await sell(till, 10)]
  const lastChange = async (TxID: number) => {
    const record = await find(till, TxID)
    return [record['LAST_CHANGED_BY'], record['LastChangedOn']]
  }
  till.needs.clock.advance({ minutes: 1 })
  await credit(office, id, 4)
  await credit(office, whole, 10)
  assert.deepEqual(await lastChange(id), ['office', '2027-01-15T10:01:00.000Z'])
  assert.deepEqual(await lastChange(whole), ['office', '2027-01-15T10:01:00.000Z'])
  till.needs.clock.advance({ minutes: 1 })
  await credit(till, id, 5)
  assert.deepEqual(await lastChange(id), ['till', '2027-01-15T10:02:00.000Z'])
})

test('a credit that was refused has changed nothing of its sale', async () => {
  const till = await openTill(world())
  const office = { ...till, caller: await callerOfNewUser(till.needs, till.account, 'office') }
  const id = await sell(till, 10)
  till.needs.clock.advance({ minutes: 1 })
  assert.notEqual((await credit(office, id, 11)).code, 0)
  const record = await find(till, id)
  assert.deepEqual([record['LAST_CHANGED_BY'], record['LastChangedOn']], ['till', '2027-01-15T10:00:00.000Z'])
})

test('a voided sale is told as changed by whoever voided it', async () => {
  const till = await openTill(world())
  const office = { ...till, caller: await callerOfNewUser(till.needs, till.account, 'office') }
  const id = await sell(till, 10)
  await undo(office, id)
  assert.equal((await find(till, id))['LAST_CHANGED_BY'], 'office')
})
