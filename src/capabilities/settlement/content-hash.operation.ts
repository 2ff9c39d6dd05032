import { createHash } from 'node:crypto'
import type { BatchItem } from '#capabilities/settlement/batch-item.store.ts'
import type { Batch } from '#capabilities/settlement/batch.ts'

// Everything that makes a batch the same batch.
export function contentHashOf(
  { batchNumber, currency }: Pick<Batch, 'batchNumber' | 'currency'>,
  items: readonly BatchItem[],
): string {
  const hash = createHash('sha256').update(`${batchNumber} ${currency}\n`)
  for (const { ref, totalMinor, isCredit } of items) hash.update(`${ref} ${totalMinor} ${isCredit}\n`)
  return hash.digest('hex')
}
