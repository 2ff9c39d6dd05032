import type { Batch } from '#capabilities/settlement/batch.ts'

// A batch as people find it.
export type FoundBatch = Pick<
  Batch,
  | 'batchId'
  | 'merchantNumber'
  | 'batchNumber'
  | 'state'
  | 'lock'
  | 'itemCount'
  | 'sales'
  | 'credits'
  | 'createdBy'
  | 'openedAt'
  | 'closedAt'
  | 'finishedAt'
> & {
  // Of its merchant record.
  readonly timeZone: string
}
