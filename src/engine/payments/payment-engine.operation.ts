import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { answerRecorder, attemptRecorder } from '#engine/payments/share-transactions.operation.ts'
import type { Database } from '#platform/postgres/database.ts'

type Parts = Omit<PaymentNeeds, 'attempts' | 'answers'> & {
  // Where the batches run, if not where everything else does.
  readonly batchDb?: Database
}

// Joins what payments are made of. One for each process: its batchers let concurrent payments share
// transactions.
export function paymentEngine({ batchDb, ...parts }: Parts): PaymentNeeds {
  const recording = { ...parts, db: batchDb ?? parts.db }
  return { ...parts, attempts: attemptRecorder(recording), answers: answerRecorder(recording) }
}
