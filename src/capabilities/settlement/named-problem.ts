import type { SettlingRecord } from '#capabilities/settlement/batch-companion.ts'
import type { NamedPayment } from '#capabilities/settlement/batch-item.store.ts'

// Why a named transaction cannot be settled, for people; empty when it can.
export function problemWithNamed(payment: NamedPayment, { currency }: SettlingRecord): string {
  if (payment.status === 'void') return 'it is voided'
  if (payment.status !== 'open') return 'it is not approved'
  if (payment.isZero) return 'it is an authorization of nothing'
  if (payment.batchNumber !== null) return `it is settled in batch ${payment.batchNumber}`
  if (payment.isTaken) return 'it is being voided or credited at this moment'
  return payment.currency === currency ? '' : 'it is in another currency than the merchant record'
}
