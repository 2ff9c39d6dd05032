import { type DisputedSale, type DisputeStep, nextStep } from '#capabilities/disputes/dispute.ts'
import { findUnfinishedSales } from '#capabilities/disputes/dispute.store.ts'
import type { Acquirer, DisputeLine } from '#engine/acquirers/acquirer.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'

export type DisputeNeeds = Pick<PaymentNeeds, 'db' | 'acquirer' | 'clock'>
export type Pending = {
  readonly sale: DisputedSale
  readonly line: DisputeLine
  readonly step: DisputeStep
}

type Reading = {
  readonly readAt: Temporal.Instant
  readonly until: Temporal.Instant
  readonly pending: Promise<readonly Pending[]>
}

// Networks let a payer dispute for 120 days and a merchant answer for some weeks.
const lookBack = { hours: 24 * 200 }
// The acquirer's clock differs from ours by the time that a sale takes and more; what is due is judged by
// ours afterwards.
const room = { hours: 1 }
const portion = 1_000
// All accounts of a round share one reading: shorter than the time between two rounds.
const freshMs = 5_000
const readings = new WeakMap<Acquirer, Reading>()

// Every dispute that the acquirer tells of with something still to be recorded. What was recorded since it
// was read is turned down by its own row.
export function listPending(needs: DisputeNeeds, until: Temporal.Instant): Promise<readonly Pending[]> {
  const known = readings.get(needs.acquirer)
  const isEnough = known && isFresh(known, { readAt: needs.clock.now(), until })
  return isEnough ? known.pending : listPendingAnew(needs, until)
}

// For the time machine, to which days pass within a moment of real time: what it has opened or sold since the
// last reading falls due on its way.
export function listPendingAnew(needs: DisputeNeeds, until: Temporal.Instant): Promise<readonly Pending[]> {
  const readAt = needs.clock.now()
  const pending = readPending(needs, until)
  readings.set(needs.acquirer, { readAt, until, pending })
  pending.catch(() => readings.delete(needs.acquirer))
  return pending
}

function isFresh(known: Reading, { readAt, until }: Pick<Reading, 'readAt' | 'until'>): boolean {
  const ageMs = readAt.since(known.readAt).total('milliseconds')
  // As much later as it is older lies within the room.
  return ageMs < freshMs && until.since(known.until).total('milliseconds') <= freshMs
}

async function readPending(needs: DisputeNeeds, until: Temporal.Instant): Promise<readonly Pending[]> {
  const from = needs.clock.now().subtract(lookBack)
  const pending: Pending[] = []
  let lines: DisputeLine[] = []
  for await (const line of needs.acquirer.disputes(from, until.add(room))) {
    lines.push(line)
    if (lines.length < portion) continue
    pending.push(...(await pendingAmong(needs, lines)))
    lines = []
  }
  return [...pending, ...(await pendingAmong(needs, lines))]
}

async function pendingAmong(
  { db }: DisputeNeeds,
  lines: readonly DisputeLine[],
): Promise<readonly Pending[]> {
  if (lines.length === 0) return []
  const sales = await findUnfinishedSales(
    db,
    lines.map(({ ref }) => ref),
  )
  return lines.flatMap((line) => {
    const sale = sales.get(line.ref)
    const step = sale && nextStep(sale, line)
    return sale && step ? [{ sale, line, step }] : []
  })
}
