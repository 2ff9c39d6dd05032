import { countUnsettled } from '#capabilities/settlement/batch-item.store.ts'
import type { SettlementNeeds, SettlingRecord } from '#capabilities/settlement/batch-companion.ts'
import { uncounted } from '#capabilities/settlement/batch.ts'
import { listStoredPlans, raiseSettledBelow } from '#capabilities/settlement/settlement-plan.store.ts'
import { floorOfOpenAttempts } from '#engine/payments/find-attempt.operation.ts'
import { Crash, type PaymentNeeds } from '#engine/payments/payment-needs.ts'

type Needs = Pick<PaymentNeeds, 'db' | 'log'> & SettlementNeeds

// What of a record is in no batch, whichever way it travels. Changes nothing.
export async function countRemaining(needs: Needs, record: SettlingRecord): Promise<number> {
  return orUncounted(needs, record, async () => (await count(needs, record)).remaining)
}

// The same, after a batch. Also remembers below which id nothing is left, so that the next close need not
// look there. The floor is read first: what is resolved in between has an id above it.
export async function countAndRemember(needs: Needs, record: SettlingRecord): Promise<number> {
  const { db } = needs
  return orUncounted(needs, record, async () => {
    const floor = await floorOfOpenAttempts({ db })
    const { remaining, lowestId } = await count(needs, record)
    await raiseSettledBelow(db, record, lowestId !== null && lowestId < floor ? lowestId : floor)
    return remaining
  })
}

type Counted = { readonly remaining: number; readonly lowestId: bigint | null }

async function count({ db, batchCompanions }: Needs, record: SettlingRecord): Promise<Counted> {
  const plans = await listStoredPlans(db, record.accountId)
  const own = plans.find(({ merchantNumber }) => merchantNumber === record.merchantNumber)
  const { count: cards, lowestId } = await countUnsettled(db, { record, from: own?.settledBelow ?? 0n })
  const others = await Promise.all(batchCompanions.map((companion) => companion.sumUnsettled(db, record)))
  return { remaining: others.reduce((sum, other) => sum + other.count, cards), lowestId }
}

// What was said to a caller counts more than what is left: a count that takes too long undoes nothing.
async function orUncounted(
  { log }: Needs,
  { accountId, merchantNumber }: SettlingRecord,
  counting: () => Promise<number>,
): Promise<number> {
  try {
    return await counting()
  } catch (error) {
    if (error instanceof Crash) throw error
    const fields = { err: error, account: String(accountId), merchant: merchantNumber }
    log.error(fields, 'What is unsettled could not be counted')
    return uncounted
  }
}
