import type { Move } from '#engine/payments/attempt.ts'
import { arrayOf, bool, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertAttemptEventsStatement = statement(
  'insert_attempt_events',
  [arrayOf(int8), arrayOf(text), arrayOf(text), arrayOf(int4), arrayOf(text), arrayOf(timestamptz), bool],
  {},
  `insert into attempt_event (attempt_id, from_state, to_state, fence, cause, happened_at, is_late)
   select i.*, $7
   from unnest($1::int8[], $2::text[], $3::text[], $4::int4[], $5::text[], $6::timestamptz[]) as i`,
)

export async function insertAttemptEvents(tx: Tx, moves: readonly Move[]): Promise<void> {
  await tx.run(insertAttemptEventsStatement, [
    moves.map(({ attempt }) => attempt.attemptId),
    moves.map(({ from }) => from),
    moves.map(({ to }) => to),
    moves.map(({ attempt }) => attempt.fence),
    moves.map(({ answer }) => answer?.kind ?? ''),
    moves.map(({ at }) => at),
    false,
  ])
}

export type LateAnswer = {
  readonly attemptId: bigint
  readonly state: string
  readonly fence: number
  readonly cause: string
  readonly at: Temporal.Instant
}

// An answer for an attempt that somebody else has resolved: filed, nothing more.
export async function insertLateAnswer(db: Queryable, late: LateAnswer): Promise<void> {
  const { attemptId, state, fence, cause, at } = late
  await db.run(insertAttemptEventsStatement, [[attemptId], [state], [state], [fence], [cause], [at], true])
}
