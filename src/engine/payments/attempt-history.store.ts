import type { Move } from '#engine/payments/attempt.ts'
import type { Decision } from '#engine/payments/decision.ts'
import { arrayOf, bool, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// The history of attempts, in attempt_event: moves, and what is noted of an attempt that is closed. Nobody is
// told of it; what accounts are told of are the events of engine/events.
const insertHistoryStatement = statement(
  'insert_attempt_events',
  [
    arrayOf(int8),
    arrayOf(text),
    arrayOf(text),
    arrayOf(int4),
    arrayOf(text),
    arrayOf(timestamptz),
    arrayOf(text),
    arrayOf(text),
    bool,
  ],
  {},
  `insert into attempt_event (attempt_id, from_state, to_state, fence, cause, happened_at, reason, decided_by,
     is_late)
   select i.*, $9
   from unnest($1::int8[], $2::text[], $3::text[], $4::int4[], $5::text[], $6::timestamptz[], $7::text[],
     $8::text[]) as i`,
)

export async function insertMoves(tx: Tx, moves: readonly Move[]): Promise<void> {
  await tx.run(insertHistoryStatement, [
    moves.map(({ attempt }) => attempt.attemptId),
    moves.map(({ from }) => from),
    moves.map(({ to }) => to),
    moves.map(({ attempt }) => attempt.fence),
    moves.map(({ answer, decision }) => (decision ? 'operator' : (answer?.kind ?? ''))),
    moves.map(({ at }) => at),
    moves.map(({ decision }) => decision?.reason ?? ''),
    moves.map(({ decision }) => decision?.operator ?? ''),
    false,
  ])
}

type LateNote = {
  readonly attemptId: bigint
  readonly state: string
  readonly fence: number
  readonly cause: string
  readonly at: Temporal.Instant
  readonly decision?: Decision
}

// What comes when an attempt is closed already, and moves it no more: an answer after somebody else has
// resolved it, or, where that was an approval which must not stand, that its reversal is given up and how an
// operator has ended it.
export async function insertLateNote(db: Queryable, late: LateNote): Promise<void> {
  const { attemptId, state, fence, cause, at, decision } = late
  await db.run(insertHistoryStatement, [
    ...([[attemptId], [state], [state], [fence], [cause], [at]] as const),
    ...([[decision?.reason ?? ''], [decision?.operator ?? ''], true] as const),
  ])
}
