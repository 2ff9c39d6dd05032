import type { SettlingRecord } from '#capabilities/settlement/batch-companion.ts'
import {
  type ClosedItems,
  closeSelectedItems,
  findWrongPayment,
} from '#capabilities/settlement/batch-item.store.ts'
import {
  acceptLearned,
  extendLearned,
  findBatchByRef,
  type KnownBatch,
} from '#capabilities/settlement/batch-release.store.ts'
import { notReleasable } from '#capabilities/settlement/batch-release.ts'
import { drawBatchId, insertBatch } from '#capabilities/settlement/batch.store.ts'
import type { Batch, BatchId } from '#capabilities/settlement/batch.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { assert } from '#kernel/assert.ts'
import type { Currency } from '#kernel/currency.ts'
import { ok, type Result } from '#kernel/result.ts'
import { randomHex } from '#platform/crypto/random.ts'
import type { Tx } from '#platform/postgres/database.ts'

export type Lesson = {
  readonly record: SettlingRecord & { readonly currency: Currency }
  // Of the batch that the acquirer has accepted, and what it holds of ours.
  readonly ref: AcquirerRef
  readonly ids: readonly bigint[]
  readonly approvalCode: string
  // The batch whose release it is part of.
  readonly learnedFrom: BatchId
  // Real time, and the account's.
  readonly now: Temporal.Instant
  readonly at: Temporal.Instant
}

type Learning = Result<Batch, 'not_releasable'>

// Records a batch that the acquirer has accepted and this database does not know, with what it holds of ours,
// compared with the books as at every close. More of it may turn up later, such as an instalment that is
// charged again under its old reference, and then it grows; a batch that was closed here never does.
export async function learnBatch(tx: Tx, lesson: Lesson): Promise<Learning> {
  const known = await findBatchByRef(tx, lesson.ref)
  const problem = known && problemWithKnown(known, lesson)
  if (problem) return notReleasable(problem)
  const id = known?.batch.batchId ?? (await drawBatchId(tx))
  const { record, ids } = lesson
  const taken = await closeSelectedItems(tx, { batch: id, record, ids })
  if (!taken.agrees) {
    const transaction = await findWrongPayment(tx, { record, ids })
    return notReleasable(`the books do not agree with transaction ${transaction}`)
  }
  if (taken.count !== ids.length)
    return notReleasable('a transaction was voided, credited or settled at this very moment: try again')
  const learned = known ? await grow(tx, id, { taken, lesson }) : await enter(tx, id, { taken, lesson })
  assert(learned, 'nobody else changes a batch that is being learned')
  return ok(learned)
}

function problemWithKnown({ batch, learnedFrom }: KnownBatch, { record, ids }: Lesson): string {
  const isSameRecord = batch.accountId === record.accountId && batch.merchantNumber === record.merchantNumber
  if (isSameRecord && batch.state === 'accepted' && learnedFrom !== null) return ''
  const [first = 0n] = ids
  const name = isSameRecord ? `batch ${batch.batchNumber} (id ${batch.batchId})` : 'a batch of another record'
  const here = `which is ${batch.state} here without it`
  return `transaction ${first}: the acquirer has settled it in ${name}, ${here}`
}

type Taken = { readonly taken: ClosedItems; readonly lesson: Lesson }

async function enter(tx: Tx, id: BatchId, { taken, lesson }: Taken): Promise<Batch | null> {
  const { record, ref, approvalCode, learnedFrom, now, at } = lesson
  const money = (minor: bigint) => ({ minor, currency: record.currency })
  const batch = {
    ...record,
    batchId: id,
    ref,
    lock: randomHex(64).toUpperCase(),
    itemCount: taken.count,
    sales: money(taken.salesMinor),
    credits: money(taken.creditsMinor),
    cardCount: taken.count,
    cardNet: money(taken.salesMinor - taken.creditsMinor),
    createdBy: 'batch release',
    openedAt: taken.oldestAt ?? at,
    closedAt: at,
  }
  await insertBatch(tx, batch, now)
  return acceptLearned(tx, id, { resultCode: approvalCode, at, learnedFrom })
}

function grow(tx: Tx, id: BatchId, { taken, lesson }: Taken): Promise<Batch | null> {
  return extendLearned(tx, id, { ...taken, oldestAt: taken.oldestAt ?? lesson.at })
}
