import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolveBatches } from '#capabilities/settlement/resolve-batches.operation.ts'
import type { Database } from '#platform/postgres/database.ts'
import { impatient } from '../../../test/support/consent-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { openTill, sell, settleAll, type Till, withKey } from '../../../test/support/till.ts'

const world = useWorld()

// Something happens once, right after a statement was answered.
function interrupted(needs: World, name: string, happen: () => Promise<unknown>): World {
  let isOver = false
  const run: Database['run'] = async (statement, values) => {
    const rows = await needs.db.run(statement, values)
    if (statement.name !== name || isOver) return rows
    isOver = true
    await happen()
    return rows
  }
  return { ...needs, db: { ...needs.db, run } }
}

async function openEvening(): Promise<{ readonly till: Till; readonly keyed: Till }> {
  const patient = await openTill(world())
  const till = { ...patient, needs: impatient(patient.needs) }
  await sell(till, 50)
  return { till, keyed: withKey(till, 'evening', 'Settlement/ExecuteBatch_All') }
}

test('a repeated key tells its own batch, also when that is resolved at this very moment', async () => {
  const { till, keyed } = await openEvening()
  till.needs.bank.faults.add({ verb: 'settle', times: 1, delivery: { losesAnswer: true } })
  assert.equal((await settleAll(keyed)).code, 6403)
  await sell(till, 70)
  const needs = interrupted(till.needs, 'find_batch_answer', () => resolveBatches(till.needs))
  const told = await settleAll({ ...keyed, needs })
  assert.deepEqual([told.isApproved, told.batch['BatchNum'], told.batch['BatchNetAmount']], [true, 1, 50])
  const rest = await settleAll(till)
  assert.deepEqual([rest.batch['BatchNum'], rest.batch['BatchNetAmount']], [2, 70], 'nothing else was closed')
})

test('a repeated key whose batch is not known asks for it and closes nothing else', async () => {
  const { till, keyed } = await openEvening()
  till.needs.bank.faults.add({ verb: 'settle', times: 1, delivery: { losesAnswer: true } })
  assert.equal((await settleAll(keyed)).code, 6403)
  await sell(till, 70)
  const told = await settleAll(keyed)
  assert.deepEqual([told.batch['BatchNum'], told.batch['RemainingUnsettled']], [1, 1])
})

test('a key is told to be running while the first call with it runs', async () => {
  const till = await openTill(world())
  await sell(till, 50)
  const keyed = withKey(till, 'evening', 'Settlement/ExecuteBatch_All')
  let second: number | null = null
  const acquirer: World['acquirer'] = {
    ...till.needs.acquirer,
    settle: async (batch, signal) => {
      second = (await settleAll(keyed)).code
      return till.needs.acquirer.settle(batch, signal)
    },
  }
  assert.equal((await settleAll({ ...keyed, needs: { ...till.needs, acquirer } })).isApproved, true)
  assert.equal(second, 4091)
})

test('a key whose batch somebody else has taken over is told that the batch is running', async () => {
  const { till, keyed } = await openEvening()
  till.needs.bank.faults.add({ verb: 'settle', times: 1, delivery: { losesAnswer: true } })
  assert.equal((await settleAll(keyed)).code, 6403)
  let told: number | null = null
  const acquirer: World['acquirer'] = {
    ...till.needs.acquirer,
    inquire: async (ref, signal) => {
      told = (await settleAll(keyed)).code
      return till.needs.acquirer.inquire(ref, signal)
    },
  }
  await resolveBatches({ ...till.needs, acquirer })
  assert.equal(told, 6401)
})
