import {
  type DisputedSale,
  type DisputeStep,
  isGivenBackTwice,
  nextStep,
} from '#capabilities/disputes/dispute.ts'
import { findUnfinishedSales } from '#capabilities/disputes/dispute.store.ts'
import type { Acquirer, DisputeLine } from '#engine/acquirers/acquirer.ts'
import type { AttemptId } from '#engine/payments/attempt.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { printWithCurrency } from '#kernel/money.ts'

export type DisputeNeeds = Pick<PaymentNeeds, 'db' | 'acquirer' | 'clock' | 'log'>
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
// What the log was told of: the acquirer repeats it for months.
const told = new WeakMap<Acquirer, Set<AttemptId>>()

// Every dispute that the acquirer tells of with something still to be recorded or told. What was recorded
// since it was read is turned down by its own row, and a sale that was given back since by that of the sale.
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

// Nothing is recorded of what was given back before: it stays a difference, which `tillgate reconcile` names.
export function tellOnce(
  { acquirer, log }: DisputeNeeds,
  sale: DisputedSale,
  { dispute }: DisputeStep,
): void {
  const known = told.get(acquirer) ?? new Set()
  if (known.has(sale.paymentId)) return
  told.set(acquirer, known.add(sale.paymentId))
  const { reasonCode, amount } = dispute
  const sum = printWithCurrency(amount)
  const fields = { transaction: String(sale.paymentId), ref: sale.ref, reasonCode, sum }
  log.error(fields, 'A sale is charged back although it was voided or credited in full')
}

async function pendingAmong(
  { db, acquirer }: DisputeNeeds,
  lines: readonly DisputeLine[],
): Promise<readonly Pending[]> {
  if (lines.length === 0) return []
  const sales = await findUnfinishedSales(
    db,
    lines.map(({ ref }) => ref),
  )
  return lines.flatMap((line) => {
    const sale = sales.get(line.ref)
    if (sale && isGivenBackTwice(sale) && told.get(acquirer)?.has(sale.paymentId)) return []
    const step = sale && nextStep(sale, line)
    return sale && step ? [{ sale, line, step }] : []
  })
}
