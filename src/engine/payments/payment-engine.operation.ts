import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { answerRecorder, attemptRecorder } from '#engine/payments/share-transactions.operation.ts'

// Joins what payments are made of. One for each process: its batchers let concurrent payments share
// transactions.
export function paymentEngine(parts: Omit<PaymentNeeds, 'attempts' | 'answers'>): PaymentNeeds {
  return { ...parts, attempts: attemptRecorder(parts), answers: answerRecorder(parts) }
}
