import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { BatchItem } from '#capabilities/settlement/batch-item.store.ts'
import type { Batch } from '#capabilities/settlement/batch.ts'
import type { BatchRequest } from '#engine/acquirers/acquirer.ts'

export type BatchContents = {
  // Of everything that makes a batch the same batch.
  readonly hash: string
  readonly netMinor: bigint
  // As the acquirer is told.
  readonly items: BatchRequest['items']
}

// So many take a few milliseconds.
const portion = 5_000

// Goes through the items a portion at a time, and lets other calls in between: a batch of 100,000 must not
// keep the next customer waiting.
export async function contentsOf(
  { batchNumber, currency }: Pick<Batch, 'batchNumber' | 'currency'>,
  rows: readonly BatchItem[],
): Promise<BatchContents> {
  const hash = createHash('sha256').update(`${batchNumber} ${currency}\n`)
  const items: BatchRequest['items'][number][] = []
  let netMinor = 0n
  for (let from = 0; from < rows.length; from += portion) {
    if (from > 0) await setImmediate()
    for (const { ref, totalMinor, isCredit } of rows.slice(from, from + portion)) {
      hash.update(`${ref} ${totalMinor} ${isCredit}\n`)
      netMinor += isCredit ? -totalMinor : totalMinor
      items.push({ ref, amount: { minor: totalMinor, currency }, isCredit })
    }
  }
  return { hash: hash.digest('hex'), netMinor, items }
}
