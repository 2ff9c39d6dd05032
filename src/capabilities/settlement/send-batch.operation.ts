import { insertBatchAnswer } from '#capabilities/settlement/batch-answer.store.ts'
import { batchEvent } from '#capabilities/settlement/batch-event.ts'
import { listBatchItems } from '#capabilities/settlement/batch-item.store.ts'
import {
  notSentCode,
  type Verdict,
  verdictOfAnswer,
  verdictOfInquiry,
} from '#capabilities/settlement/batch-transitions.ts'
import { moveBatch } from '#capabilities/settlement/batch.store.ts'
import type { Batch } from '#capabilities/settlement/batch.ts'
import type { Needs } from '#capabilities/settlement/close-batch.operation.ts'
import { type BatchContents, contentsOf } from '#capabilities/settlement/batch-contents.operation.ts'
import { countAfterBatch, type Rest } from '#capabilities/settlement/count-remaining.operation.ts'
import { raiseSettledBelow } from '#capabilities/settlement/settlement-plan.store.ts'
import type { AcquirerAnswer } from '#engine/acquirers/acquirer-answer.ts'
import type { Terminal } from '#engine/acquirers/acquirer.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { failedConnector } from '#engine/payments/failed-connector.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type SendRefusal = 'batch_running' | 'batch_unknown' | 'batch_altered'
export type Answered = { readonly batch: Batch; readonly remaining: number }
type Sent = Result<Answered, SendRefusal, Batch>

// Brings a batch that the caller holds to its end: sends it, or asks what became of it. It is never built
// anew: number, reference and contents stay what they were.
export async function conductBatch(needs: Needs, batch: Batch, terminal: Terminal): Promise<Sent> {
  const mayHaveArrived = batch.state === 'sent' || batch.state === 'unknown'
  if (mayHaveArrived && batch.cardCount > 0) {
    const verdict = await inquire(needs, batch)
    if (verdict) return record(needs, batch, verdict)
  }
  return send(needs, batch, terminal)
}

async function send(needs: Needs, batch: Batch, terminal: Terminal): Promise<Sent> {
  const contents = await contentsOf(batch, await listBatchItems(needs.db, batch.batchId))
  const { hash: contentHash, items } = contents
  if (batch.contentHash !== '' && batch.contentHash !== contentHash)
    return altered(needs, batch, 'its transactions are not what was sent')
  if (!isAsClosed(batch, contents)) return altered(needs, batch, 'its transactions are not what was closed')
  const obstacle = await prepareCompanions(needs, batch)
  if (obstacle) return altered(needs, batch, obstacle)
  const to = { ...batch, state: 'sent' as const, contentHash }
  const marked = await moveBatch(needs.db, { from: batch, to, leaseUntil: null })
  if (!marked) return refuse('batch_running', { batch: batch.batchNumber }, batch)
  needs.crashpoint('batch_marked_sent')
  if (marked.cardCount === 0) return record(needs, marked, verdictWithoutCards(needs))
  const answer = await hear(needs, marked, (signal) => {
    const { ref, batchNumber: number } = marked
    return needs.acquirer.settle({ ref, number, terminal, items }, signal)
  })
  needs.crashpoint('batch_answered')
  return record(needs, marked, verdictOfAnswer(answer))
}

// Without card transactions there is nobody to tell, but what is accepted goes out in a file.
function verdictWithoutCards({ sending }: Needs): Verdict {
  return sending.hold ? verdictOfAnswer({ kind: 'not_sent' }) : { state: 'accepted', resultCode: '' }
}

async function hear(
  needs: Needs,
  batch: Batch,
  ask: (signal: AbortSignal) => Promise<AcquirerAnswer>,
): Promise<AcquirerAnswer> {
  try {
    return await ask(AbortSignal.timeout(needs.patience.answerMs))
  } catch (error) {
    return failedConnector(needs.log, batch, error)
  }
}

async function inquire(needs: Needs, batch: Batch): Promise<Verdict | null> {
  try {
    const answer = await needs.acquirer.inquire(batch.ref, AbortSignal.timeout(needs.patience.inquiryMs))
    return verdictOfInquiry(answer, batch.cardNet)
  } catch (error) {
    return verdictOfAnswer(failedConnector(needs.log, batch, error))
  }
}

// Before it was ever sent there is no hash, but count and sum were compared with the books.
function isAsClosed({ cardCount, cardNet }: Batch, { items, netMinor }: BatchContents): boolean {
  return items.length === cardCount && netMinor === cardNet.minor
}

// Whatever could fail about what settles with it fails here, while nothing has been sent.
async function prepareCompanions(needs: Needs, batch: Batch): Promise<string> {
  const at = needs.accountClock.now(batch.accountId)
  for (const companion of needs.batchCompanions) {
    const obstacle = await needs.db.inTransaction((tx) => companion.prepare(tx, batch, at))
    if (obstacle) return obstacle
  }
  return ''
}

function altered(needs: Needs, batch: Batch, problem: string): Sent {
  needs.log.error({ batchId: String(batch.batchId), problem }, 'A batch cannot be sent as it was closed')
  return refuse('batch_altered', { batch: batch.batchNumber, problem }, batch)
}

const notCounted: Rest = { remaining: 0, settledBelow: null }

// State, answer, event and what settles with it in one commit.
async function record(needs: Needs, batch: Batch, { state, resultCode }: Verdict): Promise<Sent> {
  const now = needs.clock.now()
  const at = needs.accountClock.now(batch.accountId)
  const isAccepted = state === 'accepted'
  const isFinal = isAccepted || state === 'rejected'
  // Its own transactions are in it already, whatever the verdict.
  const { remaining, settledBelow } = isFinal ? await countAfterBatch(needs, batch) : notCounted
  const recorded = await needs.db.inTransaction(async (tx) => {
    const to = { ...batch, state, resultCode, finishedAt: isAccepted ? at : null }
    const moved = await moveBatch(tx, { from: batch, to, leaseUntil: now })
    if (!moved) return null
    if (!isFinal) return { batch: moved, remaining: 0 }
    // Whoever lost the batch counted what a release may have given back since.
    if (settledBelow !== null) await raiseSettledBelow(tx, moved, settledBelow)
    await insertBatchAnswer(tx, moved, { isAccepted, resultCode, remaining, at })
    for (const companion of isAccepted ? needs.batchCompanions : []) await companion.accepted(tx, moved, at)
    await appendEvents(tx, [batchEvent(isAccepted ? 'batch.closed' : 'batch.failed', moved)], at)
    return { batch: moved, remaining }
  })
  needs.crashpoint('batch_recorded')
  if (!recorded) return refuse('batch_running', { batch: batch.batchNumber }, batch)
  if (state === 'rejected' && resultCode !== notSentCode) tellRejected(needs, recorded.batch)
  return isFinal ? ok(recorded) : refuse('batch_unknown', { batch: batch.batchNumber }, recorded.batch)
}

function tellRejected({ log }: Needs, { batchId, batchNumber, merchantNumber, resultCode }: Batch): void {
  const fields = { batchId: String(batchId), batchNumber, merchantNumber, code: resultCode }
  const wayOut = 'if the acquirer has settled some of it in another one, tillgate batch release ends it'
  log.warn(fields, `The acquirer has rejected a batch, and the next settlement sends it again; ${wayOut}`)
}
