import { countUnsettled } from '#capabilities/settlement/batch-item.store.ts'
import type { SettlementNeeds, SettlingRecord } from '#capabilities/settlement/batch-companion.ts'
import { uncounted } from '#capabilities/settlement/batch.ts'
import { listStoredPlans } from '#capabilities/settlement/settlement-plan.store.ts'
import { floorOfOpenAttempts } from '#engine/payments/find-attempt.operation.ts'
import { Crash, type PaymentNeeds } from '#engine/payments/payment-needs.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = Pick<PaymentNeeds, 'db' | 'log'> & SettlementNeeds

export type Rest = {
  readonly remaining: number
  // Below this id nothing of the record is or will be unsettled, so that the next close need not look there;
  // null when that is not known.
  readonly settledBelow: bigint | null
}

// What of a record is in no batch, whichever way it travels.
export async function countRemaining(needs: Needs, record: SettlingRecord): Promise<number> {
  const { remaining } = await orUncounted(needs, record, async () => {
    const { count } = await countRest(needs, needs.db, record)
    return { remaining: count, settledBelow: null }
  })
  return remaining
}

// The same, after a batch, for whoever holds it. The floor is read first: what is resolved in between has an
// id above it.
export async function countAfterBatch(needs: Needs, record: SettlingRecord): Promise<Rest> {
  const { db } = needs
  return orUncounted(needs, record, async () => {
    const floor = await floorOfOpenAttempts({ db })
    const { count, lowestId } = await countRest(needs, db, record)
    return { remaining: count, settledBelow: lowestId !== null && lowestId < floor ? lowestId : floor }
  })
}

type Counted = { readonly count: number; readonly lowestId: bigint | null }

export async function countRest(
  { batchCompanions }: SettlementNeeds,
  db: Queryable,
  record: SettlingRecord,
): Promise<Counted> {
  const plans = await listStoredPlans(db, record.accountId)
  const own = plans.find(({ merchantNumber }) => merchantNumber === record.merchantNumber)
  const { count: cards, lowestId } = await countUnsettled(db, { record, from: own?.settledBelow ?? 0n })
  const others = await Promise.all(batchCompanions.map((companion) => companion.sumUnsettled(db, record)))
  return { count: others.reduce((sum, other) => sum + other.count, cards), lowestId }
}

// What was said to a caller counts more than what is left: a count that takes too long undoes nothing.
async function orUncounted(
  { log }: Needs,
  { accountId, merchantNumber }: SettlingRecord,
  counting: () => Promise<Rest>,
): Promise<Rest> {
  try {
    return await counting()
  } catch (error) {
    if (error instanceof Crash) throw error
    const fields = { err: error, account: String(accountId), merchant: merchantNumber }
    log.error(fields, 'What is unsettled could not be counted')
    return { remaining: uncounted, settledBelow: null }
  }
}
