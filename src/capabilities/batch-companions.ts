import { bankCompanion } from '#capabilities/bank-debits/settle-bank-items.operation.ts'
import type { BatchCompanion } from '#capabilities/settlement/batch-companion.ts'

// The one list of what settles together with card transactions.
export function batchCompanions(needs: Parameters<typeof bankCompanion>[0]): readonly BatchCompanion[] {
  return [bankCompanion(needs)]
}
