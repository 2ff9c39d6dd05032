import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listDisputes } from '#capabilities/disputes/collect-disputes.operation.ts'
import { collectDisputesWork } from '#capabilities/disputes/collect-disputes.task.ts'
import { nextStep } from '#capabilities/disputes/dispute.ts'
import { findUnfinishedSales, lockAndOpenDispute } from '#capabilities/disputes/dispute.store.ts'
import { reconcile } from '#capabilities/reconciliation/reconcile.operation.ts'
import type { DisputeLine } from '#engine/acquirers/acquirer.ts'
import { int8, nullable, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { buy, international, openShop, undoOrder } from '../../../test/support/order-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { somebodyWaits } from '../../../test/support/somebody-waits.ts'
import { credit, openTill, sell, settleAll, type Till, type Told, undo } from '../../../test/support/till.ts'

const world = useWorld()

// Charged back after 72 hours, and lost.
const disputedAmount = 9900.4

async function runDue({ needs, account }: Till): Promise<readonly string[]> {
  return (await runDueNow(needs, collectDisputesWork, account.accountId)).map(({ what }) => what)
}

async function statesOf({ needs, account }: Till): Promise<readonly string[]> {
  return (await listDisputes(needs, account.accountId, 10)).map(({ state }) => state)
}

async function causesOf({ needs }: Till, sale: number): Promise<readonly string[]> {
  const period = {
    from: Temporal.Instant.from('2027-01-15T00:00Z'),
    to: Temporal.Instant.from('2027-01-16T00:00Z'),
  }
  const all = await Array.fromAsync(reconcile(needs, period))
  const breaks = all.flatMap((one) => one.breaks)
  return breaks.filter(({ subject }) => subject === `transaction ${sale}`).map(({ cause }) => cause)
}

// What the acquirer tells of the sale before anybody gives it back.
async function linesOf({ needs }: Till): Promise<readonly DisputeLine[]> {
  const now = needs.clock.now()
  return Array.fromAsync(needs.acquirer.disputes(now, now.add({ hours: 73 })))
}

// An acquirer that goes on telling of these disputes, whatever was given back.
function insisting(till: Till, lines: readonly DisputeLine[]): Till {
  const { acquirer: bank } = till.needs
  const acquirer: typeof bank = {
    ...bank,
    async *disputes(from, to) {
      const isAsked = (at: Temporal.Instant) =>
        Temporal.Instant.compare(at, from) >= 0 && Temporal.Instant.compare(at, to) < 0
      yield* lines.filter(({ openedAt }) => isAsked(openedAt))
    },
  }
  return { ...till, needs: { ...till.needs, acquirer } }
}

const waysBack: readonly (readonly [string, (till: Till, sale: number) => Promise<Told>])[] = [
  ['voided', undo],
  ['credited in full', (till, sale) => credit(till, sale, disputedAmount)],
  ['credited in part', (till, sale) => credit(till, sale, 100)],
]

describe('no dispute is opened by an earlier reading of what the acquirer tells, on a sale that was', () => {
  for (const [how, giveBack] of waysBack) {
    test(`${how} meanwhile`, async () => {
      const till = await openTill(world())
      const sale = await sell(till, disputedAmount)
      if (how !== 'voided') await settleAll(till)
      till.needs.clock.advance({ seconds: 72 * 3600 - 2 })
      assert.deepEqual(await runDue(till), [])
      assert.equal((await giveBack(till, sale)).code, 0)
      till.needs.clock.advance({ seconds: 3 })
      assert.deepEqual(await runDue(till), [])
      till.needs.clock.advance({ hours: 24 * 30 })
      assert.deepEqual(await runDue(till), [])
      assert.deepEqual(await statesOf(till), [])
      assert.deepEqual(till.needs.lines, [], 'the acquirer tells of it no longer')
      assert.deepEqual(await causesOf(till, sale), [])
    })
  }
})

describe('what the acquirer goes on telling is told once, and stays a difference, about a sale', () => {
  for (const [how, giveBack] of waysBack.slice(0, 2)) {
    test(`that was ${how}`, async () => {
      const shop = await openTill(world())
      const sale = await sell(shop, disputedAmount)
      const till = insisting(shop, await linesOf(shop))
      const { needs, account } = till
      if (how !== 'voided') await settleAll(till)
      assert.equal((await giveBack(till, sale)).code, 0)
      needs.clock.advance({ hours: 71 })
      assert.deepEqual(await runDue(till), [])
      assert.deepEqual(needs.lines, [], 'not before it is due')
      needs.clock.advance({ hours: 2 })
      assert((await collectDisputesWork.accountsDue(needs, needs.clock.now())).includes(account.accountId))
      for (let round = 0; round < 3; round += 1) {
        assert.deepEqual(await runDue(till), [])
        needs.clock.advance({ minutes: 1 })
      }
      assert.deepEqual(
        needs.lines.map(({ text: words }) => words),
        ['A sale is charged back although it was voided or credited in full'],
      )
      assert.deepEqual(await collectDisputesWork.accountsDue(needs, needs.clock.now()), [])
      assert.deepEqual(await statesOf(till), [])
      assert.deepEqual(await causesOf(till, sale), [
        `the bank has charged 9900.40 USD back, and it is ${how}`,
      ])
    })
  }
})

const takeStatement = statement(
  'test_take_disputed_sale',
  [int8, nullable(text)],
  {},
  `update payment set taken_by = $2 where payment_id = $1`,
)

test('a dispute of a sale that is being voided or credited waits for what comes of that', async () => {
  const till = await openTill(world())
  const sale = BigInt(await sell(till, disputedAmount))
  await till.needs.db.run(takeStatement, [sale, 'under-way'])
  till.needs.clock.advance({ hours: 72 })
  assert.deepEqual(await runDue(till), [])
  await till.needs.db.run(takeStatement, [sale, null])
  assert.deepEqual(await runDue(till), ['dispute.opened'])
})

test('a sale that was credited in part is charged back, and more than its rest is named', async () => {
  const shop = await openTill(world())
  const sale = await sell(shop, disputedAmount)
  const till = insisting(shop, await linesOf(shop))
  await settleAll(till)
  assert.equal((await credit(till, sale, 100)).code, 0)
  till.needs.clock.advance({ hours: 72 })
  assert.deepEqual(await runDue(till), ['dispute.opened'])
  assert.deepEqual(await causesOf(till, sale), [
    '100.00 USD of it are credited and 9900.40 USD disputed, approved were 9900.40 USD',
  ])
})

// Tries it while the dispute is recorded and not committed yet.
async function whileOpening(till: Till, giveBack: () => Promise<Told>): Promise<Told> {
  const { db } = till.needs
  const [line] = await linesOf(till)
  assert(line)
  const sale = (await findUnfinishedSales(db, [line.ref])).get(line.ref)
  const step = sale && nextStep(sale, line)
  assert(sale && step)
  let trying: Promise<Told> | null = null
  await db.inTransaction(async (tx) => {
    assert(await lockAndOpenDispute(tx, sale, step.dispute))
    trying = giveBack()
    await somebodyWaits(db)
  })
  assert(trying)
  return trying
}

describe('whoever gives back while a dispute is being opened comes second:', () => {
  test('a void', async () => {
    const till = await openTill(world())
    const sale = await sell(till, disputedAmount)
    assert.match((await whileOpening(till, () => undo(till, sale))).text, /bank has charged it back$/)
  })

  test('a credit', async () => {
    const till = await openTill(world())
    const sale = await sell(till, disputedAmount)
    await settleAll(till)
    assert.match((await whileOpening(till, () => credit(till, sale, 1))).text, /bank has charged it back$/)
  })

  test('a refund of an order', async () => {
    const shop = await openShop(world())
    const { transactionId } = await buy(shop, { amount: String(disputedAmount), record: international })
    const told = await whileOpening(shop, () => undoOrder(shop, transactionId, 1))
    assert.equal(told.code, 6504, told.text)
  })
})
