import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { answerRecorder, attemptRecorder } from '#engine/payments/share-transactions.operation.ts'

// Many payments that nobody waits for one by one have transactions of their own, so that a charge at the
// till never queues behind a day's instalments.
export type BulkLane = Pick<PaymentNeeds, 'attempts' | 'answers'>

// Joins what payments are made of. One for each process: its batchers let concurrent payments share
// transactions.
export function paymentEngine(
  parts: Omit<PaymentNeeds, 'attempts' | 'answers'>,
): PaymentNeeds & { readonly bulk: BulkLane } {
  const lane = () => ({ attempts: attemptRecorder(parts), answers: answerRecorder(parts) })
  return { ...parts, ...lane(), bulk: lane() }
}

// The same engine in lane bulk.
export function inBulk<Needs extends PaymentNeeds & { readonly bulk: BulkLane }>(needs: Needs): Needs {
  return { ...needs, ...needs.bulk }
}
