import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectDisputesWork } from '#capabilities/disputes/collect-disputes.task.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, sell, type Till, undo } from '../../../test/support/till.ts'

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
