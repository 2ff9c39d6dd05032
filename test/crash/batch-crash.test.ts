import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { resolveBatches } from '#capabilities/settlement/resolve-batches.operation.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { Crash, type CrashPoint, usualPatience } from '#engine/payments/payment-needs.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import type { Delivery } from '../../simulator/delivery.ts'
import { debit } from '../support/bank-world.ts'
import { useWorldOn, type World } from '../support/session-world.ts'
import { credit, openTill, sell, settleAll, type Till, undo } from '../support/till.ts'
import { useTestDatabase } from '../support/test-database.ts'
import { findBatchViolations } from './batch-checker.ts'

const points: readonly CrashPoint[] = [
  'batch_closed',
  'batch_marked_sent',
  'batch_answered',
  'batch_recorded',
]

const behaviours: Readonly<Record<string, { terminal?: string; fault?: Partial<Delivery> }>> = {
  accepts: {},
  rejects: { terminal: 'REJECT' },
  'loses its answer': { fault: { losesAnswer: true } },
  'never sees the batch': { fault: { losesRequest: true } },
  'says nonsense': { fault: { garbles: 'other_ref' } },
}

// Dies at a point, once.
function mortal(world: World, dieAt: CrashPoint): World {
  let hasDied = false
  const crashpoint = (point: CrashPoint) => {
    if (point !== dieAt || hasDied) return
    hasDied = true
    throw new Crash(point)
  }
  const patience = { ...usualPatience, answerMs: 60, inquiryMs: 60 }
  return { ...world, ...paymentEngine({ ...world, patience, crashpoint }), clock: world.clock }
}

for (const [behaviour, { terminal, fault }] of Object.entries(behaviours)) {
  for (const point of points) {
    describe(`a gateway that dies at ${point} while the bank ${behaviour}`, () => {
      const database = useTestDatabase()
      const world = useWorldOn(database)
      let client: pg.Client | null = null
      before(async () => {
        client = new pg.Client(database().connection)
        await client.connect()
      })
      after(() => client?.end())

      test('has settled everything once in the end', async () => {
        const till = await openTill(world())
        await liveAMorning(till)
        if (terminal !== undefined) await useTerminal(till, terminal)
        if (fault) till.needs.bank.faults.add({ verb: 'settle', times: 1, delivery: fault })
        await assert.rejects(settleAll({ ...till, needs: mortal(till.needs, point) }), Crash)
        await sell(till, 11)
        await useTerminal(till, 'T1')

        const survivor = { ...till, needs: mortal(till.needs, 'before_t2') }
        for (let round = 0; round < 3; round += 1) {
          survivor.needs.clock.advance({ minutes: 2 })
          await resolveBatches(survivor.needs)
          await settleAll(survivor)
        }
        assert(client)
        const bank = await till.needs.bank.log.read({ last: 1_000 })
        const { violations, unsettled } = await findBatchViolations(client, bank)
        assert.deepEqual(violations, [])
        assert.equal(unsettled, 0)
        const { rows } = await client.query<{ net: string }>(
          `select sum(sales_minor - credits_minor) as net from batch where state = 'accepted'`,
        )
        assert.equal(rows[0]?.net, '5850')
      })
    })
  }
}

async function liveAMorning(till: Till): Promise<void> {
  const [one, two] = [await sell(till, 10), await sell(till, 30)]
  await undo(till, await sell(till, 99))
  await sell(till, 99, { card: '4000000000000002' })
  await credit(till, one, 3)
  await credit(till, two, 2)
  await debit(till, { Amount: 12.5 })
}

async function useTerminal({ needs, account }: Till, terminalId: string): Promise<void> {
  const wish = { account: account.accountId, merchant: merchantNumber(1), changes: { terminalId } }
  assert((await changeMerchant(needs, wish)).ok)
}
