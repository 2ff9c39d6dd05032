import {
  type ClosedItems,
  closeAllItems,
  closeSelectedItems,
  findWrongPayment,
  lockRecord,
} from '#capabilities/settlement/batch-item.store.ts'
import type {
  BatchCompanion,
  Joined,
  SettlementNeeds,
  SettlingRecord,
} from '#capabilities/settlement/batch-companion.ts'
import {
  drawBatchId,
  findUnfinishedBatch,
  insertBatch,
  takeBatch,
} from '#capabilities/settlement/batch.store.ts'
import type { Batch, BatchId } from '#capabilities/settlement/batch.ts'
import { problemWithNamed } from '#capabilities/settlement/named-problem.ts'
import { readNamed } from '#capabilities/settlement/named-transaction.store.ts'
import { listStoredPlans } from '#capabilities/settlement/settlement-plan.store.ts'
import type { EngineContext } from '#engine/context.ts'
import { claimCallKey, releaseCallKey } from '#engine/idempotency/claim-keys.operation.ts'
import type { CallerKey } from '#engine/payments/attempt.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { earliestOf } from '#kernel/calendar.ts'
import type { Currency } from '#kernel/currency.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { randomHex } from '#platform/crypto/random.ts'
import type { Tx } from '#platform/postgres/database.ts'

export type Needs = PaymentNeeds & SettlementNeeds & Pick<EngineContext, 'sending'>

export type ClosingWish = {
  readonly record: SettlingRecord & { readonly currency: Currency }
  // null: everything that is unsettled.
  readonly ids: readonly bigint[] | null
  readonly callerKey: CallerKey | null
  readonly by: string
}

export type ClosingRefusal =
  | 'batch_running'
  | 'transaction_not_found'
  | 'not_settleable'
  | 'books_disagree'
  | 'key_running'
type Closed = Result<Batch | null, ClosingRefusal>

// Closes a new batch, or takes the one of this record that is not accepted yet: a record has one group at a
// time. One transaction, with the record held still. null: there is nothing to settle.
export async function closeOrTakeBatch(needs: Needs, wish: ClosingWish): Promise<Closed> {
  const held = await needs.db.inTransaction(async (tx) => {
    await lockRecord(tx, wish.record)
    const unfinished = await findUnfinishedBatch(tx, wish.record)
    return unfinished ? takeAgain(needs, tx, { wish, unfinished }) : closeNew(needs, tx, wish)
  })
  needs.crashpoint('batch_closed')
  return held
}

// null: somebody has it, or it is done with.
export function takeThisBatch(needs: Needs, id: BatchId): Promise<Batch | null> {
  return takeBatch(needs.db, { id, now: needs.clock.now(), leaseUntil: leaseUntil(needs) })
}

type Again = { readonly wish: ClosingWish; readonly unfinished: Batch }

async function takeAgain(needs: Needs, tx: Tx, { wish, unfinished }: Again): Promise<Closed> {
  const { batchId: id, batchNumber, fence } = unfinished
  const made: Made = { kind: 'batch', batch: id, fence: fence + 1 }
  if (!(await claim(needs, tx, { wish, made }))) return refuse('key_running')
  const taken = await takeBatch(tx, { id, now: needs.clock.now(), leaseUntil: leaseUntil(needs) })
  if (taken) return ok(taken)
  await release(tx, { wish, made })
  return refuse('batch_running', { batch: batchNumber })
}

async function closeNew(needs: Needs, tx: Tx, wish: ClosingWish): Promise<Closed> {
  const id = await drawBatchId(tx)
  const made: Made = { kind: 'batch', batch: id, fence: 1 }
  if (!(await claim(needs, tx, { wish, made }))) return refuse('key_running')
  const closed = await fill(needs, tx, { wish, id })
  if (!closed.ok || closed.value === null) await release(tx, { wish, made })
  return closed
}

type Filling = { readonly wish: ClosingWish; readonly id: BatchId }

async function fill(needs: Needs, tx: Tx, { wish, id }: Filling): Promise<Closed> {
  const problem = wish.ids && (await problemWith(needs, tx, { ...wish, ids: wish.ids }))
  if (problem) return problem
  // All refusals come before anything is taken.
  const joining: (readonly [BatchCompanion, readonly bigint[]])[] = []
  for (const companion of needs.batchCompanions) {
    const chosen = await companion.choose(tx, wish)
    if (!chosen.ok) return chosen
    joining.push([companion, chosen.value])
  }
  const cards = await takeItems(tx, { wish, id })
  if (!cards.agrees) {
    const transaction = await findWrongPayment(tx, wish)
    return refuse('books_disagree', { transaction })
  }
  const parts: Joined[] = [cards]
  const at = needs.accountClock.now(wish.record.accountId)
  for (const [companion, chosen] of joining) parts.push(await companion.join(tx, { batchId: id, chosen, at }))
  return insertFilled(needs, tx, { wish, id, cards, parts, at })
}

type Filled = Filling & {
  readonly cards: Joined
  readonly parts: readonly Joined[]
  readonly at: Temporal.Instant
}

async function insertFilled(needs: Needs, tx: Tx, { wish, id, cards, parts, at }: Filled): Promise<Closed> {
  const itemCount = parts.reduce((sum, { count }) => sum + count, 0)
  if (itemCount === 0) return ok(null)
  const money = (minor: bigint) => ({ minor, currency: wish.record.currency })
  const batch = {
    ...wish.record,
    batchId: id,
    ref: newReference(),
    lock: randomHex(64).toUpperCase(),
    itemCount,
    sales: money(parts.reduce((sum, { salesMinor }) => sum + salesMinor, 0n)),
    credits: money(parts.reduce((sum, { creditsMinor }) => sum + creditsMinor, 0n)),
    cardCount: cards.count,
    cardNet: money(cards.salesMinor - cards.creditsMinor),
    createdBy: wish.by,
    openedAt: earliestOf(parts.map(({ oldestAt }) => oldestAt)) ?? at,
    closedAt: at,
  }
  return ok(await insertBatch(tx, batch, leaseUntil(needs)))
}

async function takeItems(tx: Tx, { wish: { record, ids }, id }: Filling): Promise<ClosedItems> {
  if (ids) return closeSelectedItems(tx, { batch: id, record, ids })
  const plans = await listStoredPlans(tx, record.accountId)
  const own = plans.find(({ merchantNumber }) => merchantNumber === record.merchantNumber)
  return closeAllItems(tx, { batch: id, record, from: own?.settledBelow ?? 0n })
}

type Named = { readonly record: SettlingRecord; readonly ids: readonly bigint[] }

// The whole list is refused if one of it cannot be settled.
async function problemWith(needs: Needs, tx: Tx, { record, ids }: Named) {
  const own = new Map((await readNamed(tx, record, ids)).map((one) => [one.id, one]))
  const others = await Promise.all(
    needs.batchCompanions.map((companion) => companion.recognize(tx, record, ids)),
  )
  const recognized = new Map(others.flat().map(({ id, problem }) => [id, problem]))
  for (const transaction of ids) {
    const named = own.get(transaction)
    if (!named) return refuse('transaction_not_found', { transaction })
    const problem = recognized.get(transaction) ?? problemWithNamed(named, record)
    if (problem) return refuse('not_settleable', { transaction, problem })
  }
  return null
}

function leaseUntil({ clock, patience }: Needs): Temporal.Instant {
  return clock.now().add({ milliseconds: patience.leaseMs })
}

type Made = { readonly kind: 'batch'; readonly batch: BatchId; readonly fence: number }
type Claiming = { readonly wish: ClosingWish; readonly made: Made }

async function claim({ clock }: Needs, tx: Tx, { wish, made }: Claiming): Promise<boolean> {
  const { callerKey, record } = wish
  return callerKey === null || claimCallKey(tx, { account: record.accountId, callerKey, made }, clock.now())
}

async function release(tx: Tx, { wish, made }: Claiming): Promise<void> {
  const { callerKey, record } = wish
  if (callerKey) await releaseCallKey(tx, { account: record.accountId, callerKey, made })
}
