import type { Lane } from '#capabilities/webhooks/delivery.ts'
import type { LaneHealth } from '#capabilities/webhooks/retry-schedule.ts'
import { int4, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const lockLaneHealthStatement = statement(
  'lock_webhook_lane',
  [text],
  {
    failures: int4,
    failing_since: nullable(timestamptz),
    last_failed_at: nullable(timestamptz),
    paused_until: nullable(timestamptz),
  },
  `select failures, failing_since, last_failed_at, paused_until from webhook_lane where lane = $1
   for no key update`,
)

export async function lockLaneHealth(tx: Tx, lane: Lane): Promise<LaneHealth> {
  const [row] = await tx.run(lockLaneHealthStatement, [lane])
  return {
    failures: row?.failures ?? 0,
    failingSince: row?.failing_since ?? null,
    lastFailedAt: row?.last_failed_at ?? null,
    pausedUntil: row?.paused_until ?? null,
  }
}

const setLaneHealthStatement = statement(
  'set_webhook_lane',
  [text, int4, nullable(timestamptz), nullable(timestamptz), nullable(timestamptz)],
  {},
  `update webhook_lane set failures = $2, failing_since = $3, last_failed_at = $4, paused_until = $5
   where lane = $1`,
)

export async function setLaneHealth(
  tx: Tx,
  lane: Lane,
  { failures, failingSince, lastFailedAt, pausedUntil }: LaneHealth,
): Promise<void> {
  await tx.run(setLaneHealthStatement, [lane, failures, failingSince, lastFailedAt, pausedUntil])
}

const healLaneStatement = statement(
  'heal_webhook_lane',
  [text],
  {},
  `update webhook_lane set failures = 0, failing_since = null, last_failed_at = null
   where lane = $1 and failures > 0`,
)

// A success makes up for all failures before it, but ends no rest: it was on its way when that began. Touches
// nothing where there were none.
export async function healLane(tx: Tx, lane: Lane): Promise<void> {
  await tx.run(healLaneStatement, [lane])
}
