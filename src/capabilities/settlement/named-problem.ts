import type { SettlingRecord } from '#capabilities/settlement/batch-companion.ts'
import type { NamedTransaction } from '#capabilities/settlement/named-transaction.store.ts'
import { isFinal } from '#engine/payments/attempt.ts'

const settledKinds: ReadonlySet<string> = new Set(['sale', 'credit', 'bank_debit', 'bank_credit'])

// Why a named transaction cannot be settled, for people; empty exactly where a close would take it.
export function problemWithNamed(named: NamedTransaction, { currency }: SettlingRecord): string {
  const { kind, state, status, batchNumber } = named
  if (kind === 'verify') return 'it is an authorization of nothing'
  if (!settledKinds.has(kind)) return 'it is no sale or credit'
  if (status === null && !isFinal(state)) return 'its outcome is not known yet'
  if (status === 'void') return 'it is voided'
  if (status !== 'open') return 'it is not approved'
  if (named.isOrder) return 'it is an international order, which its bank settles by itself'
  if (named.isZero) return 'it is a transaction of nothing'
  if (named.isInBatch)
    return batchNumber === null ? 'it is in a batch' : `it is settled in batch ${batchNumber}`
  if (named.isTaken) return 'it is being voided or credited at this moment'
  return named.currency === currency ? '' : 'it is in another currency than the merchant record'
}
