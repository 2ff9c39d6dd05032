import { AcquirerLine } from '#engine/payments/acquirer-line.operation.ts'
import { attemptReader } from '#engine/payments/find-attempt.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { answerRecorder, attemptRecorder } from '#engine/payments/share-transactions.operation.ts'
import type { BatchCrowd } from '#platform/postgres/batch-crowd.ts'

type Parts = Omit<PaymentNeeds, 'line' | 'attemptReads' | 'attempts' | 'answers'> & {
  // Where only a part of those at the till may share a batch.
  readonly crowd?: BatchCrowd | undefined
}

// Many payments that nobody waits for one by one have transactions of their own, so that those of a charge at
// the till never queue behind a day's instalments.
export type BulkLane = Pick<PaymentNeeds, 'attempts' | 'answers'>

export type PaymentEngine = PaymentNeeds & { readonly bulk: BulkLane }

// Joins what payments are made of. One for each process: its batchers let concurrent payments share
// transactions.
export function paymentEngine({ crowd, ...parts }: Parts): PaymentEngine {
  const recording = { ...parts, db: parts.batchDb }
  const line = new AcquirerLine(parts)
  return {
    ...parts,
    acquirer: line.acquirer,
    line,
    attemptReads: attemptReader(recording),
    attempts: attemptRecorder(recording, crowd),
    answers: answerRecorder(recording, crowd),
    bulk: { attempts: attemptRecorder(recording), answers: answerRecorder(recording) },
  }
}

// The same engine in lane bulk.
export function inBulk<Needs extends PaymentNeeds & { readonly bulk: BulkLane }>(needs: Needs): Needs {
  return { ...needs, ...needs.bulk }
}
