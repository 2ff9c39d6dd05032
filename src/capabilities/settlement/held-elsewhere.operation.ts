import { contentsOf } from '#capabilities/settlement/batch-contents.operation.ts'
import { type BatchItem, listBatchItems } from '#capabilities/settlement/batch-item.store.ts'
import { listUnsettledItems, type UnsettledItem } from '#capabilities/settlement/batch-release.store.ts'
import { notReleasable, sortHoldings } from '#capabilities/settlement/batch-release.ts'
import type { Batch } from '#capabilities/settlement/batch.ts'
import type { SettlementNeeds } from '#capabilities/settlement/settle.operation.ts'
import { listStoredPlans } from '#capabilities/settlement/settlement-plan.store.ts'
import type { InquiryAnswer } from '#engine/acquirers/acquirer-answer.ts'
import type { AcquirerRef, ReportLine } from '#engine/acquirers/acquirer.ts'
import { failedConnector } from '#engine/payments/failed-connector.ts'
import { assert } from '#kernel/assert.ts'
import { earliestOf } from '#kernel/calendar.ts'
import { ok, type Result } from '#kernel/result.ts'

// What the acquirer has settled in batches that it accepted, and what it has reversed.
export type HeldElsewhere = {
  readonly batches: readonly HeldBatch[]
  // How many of those transactions are in the batch that was asked about, and the first of all in it.
  readonly ofBatchCount: number
  readonly lowestId: bigint
  readonly reversedIds: readonly bigint[]
}

type HeldBatch = {
  readonly ref: AcquirerRef
  readonly ids: readonly bigint[]
  readonly approvalCode: string
}

type Answer<T> = Result<T, 'not_releasable'>

// Our clock and the acquirer's differ, and an answer may be late: as much room as a reconciliation takes.
const room = { hours: 48 }

const silent = notReleasable('the acquirer does not answer')

// Asks the acquirer, by its own report, which transactions of a rejected batch, and of its merchant record
// besides, it holds in other batches or has reversed. Changes nothing.
export async function askWhatIsHeld(needs: SettlementNeeds, batch: Batch): Promise<Answer<HeldElsewhere>> {
  const items = await listBatchItems(needs.db, batch.batchId)
  const [first] = items
  const { hash } = await contentsOf(batch, items)
  if (!first || hash !== batch.contentHash) return notReleasable('its transactions are not what was sent')
  const own = await inquire(needs, batch, batch.ref)
  if (own.kind === 'approved') return notReleasable('the acquirer has accepted it: settle again')
  if (own.kind !== 'declined' && own.kind !== 'not_found') return silent
  const others = await listOthers(needs, batch)
  const lines = await readReport(needs, batch, { items, others })
  if (!lines) return silent
  const missing = items.find(({ ref }) => !lines.has(ref))
  if (missing) return whyMissing(needs, batch, missing)
  const holdings = sortHoldings({ batch, items, others, lines })
  if (!holdings.ok) return holdings
  const { settled, reversedIds } = holdings.value
  const batches = await confirm(needs, batch, [...settled])
  if (!batches.ok) return batches
  const held = new Set([...settled.values()].flat())
  const ofBatchCount = items.filter(({ paymentId }) => held.has(paymentId)).length
  return ok({ batches: batches.value, ofBatchCount, lowestId: first.paymentId, reversedIds })
}

async function listOthers({ db }: SettlementNeeds, batch: Batch): Promise<readonly UnsettledItem[]> {
  const plans = await listStoredPlans(db, batch.accountId)
  const own = plans.find(({ merchantNumber }) => merchantNumber === batch.merchantNumber)
  return listUnsettledItems(db, batch, own?.settledBelow ?? 0n)
}

type Looked = { readonly items: readonly BatchItem[]; readonly others: readonly UnsettledItem[] }

// null: it broke off, or there is none. The clock of an account may be ahead, the acquirer's is not.
async function readReport(
  needs: SettlementNeeds,
  batch: Batch,
  { items, others }: Looked,
): Promise<ReadonlyMap<AcquirerRef, readonly ReportLine[]> | null> {
  const { accountClock, clock, acquirer, log } = needs
  const now = clock.now()
  const ahead = accountClock.now(batch.accountId).since(now)
  const oldestAt = earliestOf([batch.openedAt, ...others.map(({ createdAt }) => createdAt)])
  assert(oldestAt, 'a batch was opened at some time')
  const wanted = new Set([...items, ...others].map(({ ref }) => ref))
  const lines = new Map<AcquirerRef, readonly ReportLine[]>()
  try {
    for await (const line of acquirer.report(oldestAt.subtract(ahead).subtract(room), now.add(room)))
      if (wanted.has(line.ref)) lines.set(line.ref, [...(lines.get(line.ref) ?? []), line])
    return lines
  } catch (error) {
    failedConnector(log, batch, error)
    return null
  }
}

// An inquiry cannot tell whether something is settled, but often why the report does not have it.
async function whyMissing(needs: SettlementNeeds, batch: Batch, { ref, paymentId }: BatchItem) {
  const answer = await inquire(needs, batch, ref)
  const because: Record<InquiryAnswer['kind'], string> = {
    approved: "the acquirer's report leaves it out, so nobody knows whether it is settled",
    reversed: 'the acquirer has reversed it, and its report leaves it out',
    declined: 'the acquirer has declined it',
    not_found: 'the acquirer does not know it',
    unknown: "the acquirer's report leaves it out, and the acquirer does not answer",
  }
  return notReleasable(`transaction ${paymentId}: ${because[answer.kind]}`)
}

type Holding = readonly [AcquirerRef, readonly bigint[]]

// Whatever is recorded as accepted the acquirer says so of, by the batch's own reference.
async function confirm(
  needs: SettlementNeeds,
  batch: Batch,
  holdings: readonly Holding[],
): Promise<Answer<readonly HeldBatch[]>> {
  const batches: HeldBatch[] = []
  for (const [ref, ids] of holdings) {
    const answer = await inquire(needs, batch, ref)
    if (answer.kind === 'unknown') return silent
    if (answer.kind !== 'approved')
      return notReleasable(
        `the acquirer reports transactions in the batch with reference ${ref}, and has not accepted that`,
      )
    batches.push({ ref, ids, approvalCode: answer.approvalCode })
  }
  return ok(batches)
}

async function inquire(
  { acquirer, patience, log }: SettlementNeeds,
  batch: Batch,
  ref: AcquirerRef,
): Promise<InquiryAnswer> {
  try {
    return await acquirer.inquire(ref, AbortSignal.timeout(patience.inquiryMs))
  } catch (error) {
    return failedConnector(log, batch, error)
  }
}
