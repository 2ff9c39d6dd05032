import {
  type Attempt,
  hasApproval,
  hasNoEffect,
  isToldAsDeclined,
  type Move,
} from '#engine/payments/attempt.ts'
import { arrayOf, bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import { columnsOf } from '#platform/postgres/columns.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { isUnmet } from '#platform/postgres/failures.ts'
import { statement } from '#platform/postgres/statement.ts'

// Matches id, fence and state: whoever lost its fence moves nothing. The lease ends with the move, unless its
// holder goes on to reverse. A payment is the attempt itself with a status, which comes with the outcome: no
// final state is left again, so it comes once.
const moveAttemptsStatement = statement(
  'move_attempts',
  [
    arrayOf(int8),
    arrayOf(int4),
    arrayOf(text),
    arrayOf(text),
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(nullable(text)),
    arrayOf(timestamptz),
    timestamptz,
  ],
  { insisted: bool },
  `with moved as (
     update attempt a
     set state = i.to_state, approved_minor = i.approved, approved_fee_minor = i.approved_fee,
       approval_code = i.approval_code, result_code = i.result_code, avs = i.avs, cvv = i.cvv,
       network_id = i.network_id, answered_at = $14,
       lease_until = case when i.to_state = 'reversing' then a.lease_until else $14 end,
       status = coalesce(i.status, a.status),
       changed_at = case when i.status is null then a.changed_at else i.at end
     from (
       select unnest($1::int8[]) as attempt_id, unnest($2::int4[]) as fence, unnest($3::text[]) as from_state,
         unnest($4::text[]) as to_state, unnest($5::int8[]) as approved, unnest($6::int8[]) as approved_fee,
         unnest($7::text[]) as approval_code, unnest($8::text[]) as result_code, unnest($9::text[]) as avs,
         unnest($10::text[]) as cvv, unnest($11::text[]) as network_id, unnest($12::text[]) as status,
         unnest($13::timestamptz[]) as at
     ) as i
     where a.attempt_id = i.attempt_id and a.fence = i.fence and a.state = i.from_state
     returning a.attempt_id
   )
   select insist('attempts_move', count(*) = cardinality($1::int8[])) as insisted from moved`,
)

type Moving = Pick<Move, 'attempt' | 'from' | 'at'>

const columnsOfMoves = columnsOf<Moving>()(
  ({ attempt }) => attempt.attemptId,
  ({ attempt }) => attempt.fence,
  ({ from }) => from,
  ({ attempt }) => attempt.state,
  ({ attempt }) => attempt.approved.total.minor,
  ({ attempt }) => attempt.approved.fee.minor,
  ({ attempt }) => attempt.approvalCode,
  ({ attempt }) => attempt.resultCode,
  ({ attempt }) => attempt.avs,
  ({ attempt }) => attempt.cvv,
  ({ attempt }) => attempt.networkId,
  ({ attempt }) => paymentStatusOf(attempt),
  ({ at }) => at,
)

// Moves attempts, and makes those payments that are recorded as one. Fails when one of them has moved on
// already (isMovedOn).
export async function moveAttempts(
  tx: Tx,
  moves: readonly Moving[],
  // Real time.
  at: Temporal.Instant,
): Promise<void> {
  await tx.run(moveAttemptsStatement, [...columnsOfMoves(moves), at])
}

export function isMovedOn(error: unknown): boolean {
  return isUnmet(error, 'attempts_move')
}

// Sales and credits whose outcome is known are payments, declines included, and what was told as one: people
// look for those too.
function paymentStatusOf(attempt: Attempt): 'open' | 'failed' | null {
  const { kind, state } = attempt
  if (kind !== 'sale' && kind !== 'credit') return null
  if (hasApproval(state)) return 'open'
  return hasNoEffect(state) && isToldAsDeclined(attempt) ? 'failed' : null
}
