import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseBatch } from '#capabilities/settlement/release-batch.operation.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { debit } from '../../../test/support/bank-world.ts'
import { backUp, everythingOf } from '../../../test/support/restored-database.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { call, openTill, sell, settleAll, type Till, withKey } from '../../../test/support/till.ts'

const world = useWorld()

// The acquirer has settled 10.00 in a batch that is forgotten here; 20.00 and a bank debit of 25.50 wait.
async function openStuckTill() {
  const till = await openTill(world())
  await sell(till, 10)
  const restore = await backUp(till)
  await settleAll(till)
  await restore()
  await sell(till, 20)
  await debit(till)
  await passTime(till)
  const failed = await settleAll(till)
  assert.equal(failed.batch['Code'], 'F')
  return { till, batch: BigInt(failed.batch['BatchLogID'] ?? 0) }
}

// So that a close remembers below which id nothing is left to settle.
async function passTime({ needs }: Till): Promise<void> {
  needs.clock.advance({ minutes: 10 })
  await recoverAttempts(needs)
}

async function release({ account }: Till, needs: World, batch: bigint): Promise<string> {
  const wish = { account: account.accountId, batch, reason: 'Restored', operator: 'olga' }
  const told = await releaseBatch(needs, wish)
  return told.ok ? 'released' : String(told.refusal.details['problem'] ?? told.refusal.kind)
}

test('of operators who release a batch at the same time one does', async () => {
  const { till, batch } = await openStuckTill()
  const told = await Promise.all(Array.from({ length: 5 }, () => release(till, till.needs, batch)))
  assert.deepEqual(told.toSorted(), [...Array(4).fill('it is released already'), 'released'])
  const after = await everythingOf(till)
  assert.equal(await release(till, till.needs, batch), 'it is released already')
  assert.equal(await everythingOf(till), after)
  assert.equal((await settleAll(till)).batch['BatchNetAmount'], 45.5)
})

test('whoever comes upon what another release has left is told of that one', async () => {
  const { till, batch } = await openStuckTill()
  const { acquirer: bank } = till.needs
  const inquire: typeof bank.inquire = async () => {
    assert.equal(await release(till, till.needs, batch), 'released')
    return { kind: 'unknown', because: 'timeout' }
  }
  const slower = { ...till.needs, acquirer: { ...bank, inquire } }
  assert.equal(await release(till, slower, batch), 'it is released already')
})

test('of a release and a settlement at the same time one has the batch', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { till, batch } = await openStuckTill()
    const [released, settled] = await Promise.all([release(till, till.needs, batch), settleAll(till)])
    if (released === 'released') {
      assert(settled.isApproved || settled.code === 6401 || settled.batch['Code'] === 'F', settled.text)
    } else {
      assert.match(released, /somebody is settling it|settled again at this very moment|it is sent/)
      assert.deepEqual([settled.batch['BatchLogID'], settled.batch['Code']], [Number(batch), 'F'])
      assert.equal(await release(till, till.needs, batch), 'released')
    }
    const rest = settled.isApproved ? settled : await settleAll(till)
    assert.deepEqual([rest.isApproved, rest.batch['BatchNetAmount']], [true, 45.5])
    assert.equal((await settleAll(till)).text, 'Nothing to settle')
  }
})

test('a batch that is settled again while the acquirer is asked is not released', async () => {
  const { till, batch } = await openStuckTill()
  const { acquirer: bank } = till.needs
  const acquirer: typeof bank = {
    ...bank,
    async *report(from, to) {
      await settleAll(till)
      yield* bank.report(from, to)
    },
  }
  const told = await release(till, { ...till.needs, acquirer }, batch)
  assert.equal(told, 'it was settled again at this very moment: try again')
  assert.equal(await release(till, till.needs, batch), 'released')
})

test('a batch that the acquirer is looking at is not released', async () => {
  const { till, batch } = await openStuckTill()
  const { acquirer: bank } = till.needs
  let told = ''
  const acquirer: typeof bank = {
    ...bank,
    settle: async (request, signal) => {
      told = await release(till, till.needs, batch)
      return bank.settle(request, signal)
    },
  }
  await settleAll({ ...till, needs: { ...till.needs, acquirer } })
  assert.equal(told, 'it is sent, and only a rejected one is released')
})

test('a release that breaks off anywhere has changed nothing', async () => {
  const { till, batch } = await openStuckTill()
  const before = await everythingOf(till)
  let broken = 0
  for (let at = 1; ; at += 1) {
    let said = 0
    const breaking = (tx: Tx): Tx => ({
      isTransaction: true,
      run: (statement, values) => {
        said += 1
        if (said === at) throw new Crash(statement.name)
        return tx.run(statement, values)
      },
    })
    const { db } = till.needs
    const inTransaction: typeof db.inTransaction = (work) => db.inTransaction((tx) => work(breaking(tx)))
    const needs = { ...till.needs, db: { ...db, inTransaction } }
    try {
      assert.equal(await release(till, needs, batch), 'released')
      break
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      broken += 1
      assert.equal(await everythingOf(till), before, error.message)
    }
  }
  assert(broken > 15, `it was broken off ${broken} times`)
})

function dieOnceTaken(point: string): void {
  if (point === 'batch_closed') throw new Crash(point)
}

test('the key of a settlement that died with the batch tells that it failed', async () => {
  const { till, batch } = await openStuckTill()
  const keyed = withKey(till, 'evening', 'Settlement/ExecuteBatch_All')
  await assert.rejects(settleAll({ ...keyed, needs: { ...till.needs, crashpoint: dieOnceTaken } }), Crash)
  till.needs.clock.advance({ minutes: 2 })
  assert.equal(await release(till, till.needs, batch), 'released')
  const told = await settleAll(keyed)
  assert.deepEqual(
    [told.code, told.batch['Code'], told.batch['BatchLogID'], told.batch['RemainingUnsettled']],
    [0, 'F', Number(batch), 2],
  )
  const { members } = await call(till, 'Operation/Lookup', { IdempotencyKey: 'evening' })
  assert.deepEqual(Object(members['Operations'])[0]?.State, 'declined')
})

test('who slept over the release of the batch hides nothing from the next close', async () => {
  const { till, batch } = await openStuckTill()
  const { db } = till.needs
  let isOver = false
  const run: typeof db.run = async (statement, values) => {
    const rows = await db.run(statement, values)
    if (statement.name !== 'count_unsettled' || isOver) return rows
    isOver = true
    till.needs.clock.advance({ minutes: 2 })
    await settleAll(till)
    assert.equal(await release(till, till.needs, batch), 'released')
    return rows
  }
  const told = await settleAll({ ...till, needs: { ...till.needs, db: { ...db, run } } })
  assert.equal(told.code, 6401)
  assert.equal((await settleAll(till)).batch['BatchNetAmount'], 45.5)
})
