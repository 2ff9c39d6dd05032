import type { BatchId } from '#capabilities/settlement/batch.ts'
import { int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertAnswerStatement = statement(
  'insert_batch_answer',
  [int8, int4, text, text, int4, timestamptz],
  {},
  `insert into batch_answer (batch_id, fence, state, result_code, remaining_count, answered_at)
   values ($1, $2, $3, $4, $5, $6)`,
)

// The answer that a call with this fence led to: its own, or that of whoever took over from it.
const findAnswerStatement = statement(
  'find_batch_answer',
  [int8, int4],
  { state: text, result_code: text, remaining_count: int4 },
  `select state, result_code, remaining_count from batch_answer
   where batch_id = $1 and fence >= $2 order by fence limit 1`,
)

export type BatchAnswer = {
  readonly isAccepted: boolean
  readonly resultCode: string
  readonly remaining: number
}

export type BatchSending = { readonly batchId: BatchId; readonly fence: number }

export async function insertBatchAnswer(
  tx: Tx,
  { batchId, fence }: BatchSending,
  { isAccepted, resultCode, remaining, at }: BatchAnswer & { readonly at: Temporal.Instant },
): Promise<void> {
  const state = isAccepted ? 'accepted' : 'rejected'
  await tx.run(insertAnswerStatement, [batchId, fence, state, resultCode, remaining, at])
}

export async function findBatchAnswer(
  db: Queryable,
  { batchId, fence }: BatchSending,
): Promise<BatchAnswer | null> {
  const [row] = await db.run(findAnswerStatement, [batchId, fence])
  if (!row) return null
  return {
    isAccepted: row.state === 'accepted',
    resultCode: row.result_code,
    remaining: row.remaining_count,
  }
}
