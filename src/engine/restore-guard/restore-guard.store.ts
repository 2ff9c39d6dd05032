import { type Mark, noMark } from '#engine/restore-guard/sending.ts'
import { bool, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { presenceLock } from '#platform/postgres/presence.ts'
import { statement } from '#platform/postgres/statement.ts'

// Nodes that start at once are judged one after the other.
const lockNodesStatement = statement(
  'lock_nodes',
  [],
  { locked: nullable(text) },
  `select pg_advisory_xact_lock(7411858)::text as locked`,
)

const listNodesStatement = statement(
  'list_nodes',
  [text],
  { is_mine: bool, registered_at: timestamptz },
  `select node_digest = $1 as is_mine, registered_at from node`,
)

const registerNodeStatement = statement(
  'register_node',
  [text, timestamptz, text],
  {},
  `insert into node (node_digest, registered_at, reason) values ($1, $2, $3)
   on conflict (node_digest) do update set registered_at = excluded.registered_at, reason = excluded.reason`,
)

const isNobodyPresentStatement = statement(
  'is_no_node_present',
  [int8],
  { is_alone: bool },
  `select pg_try_advisory_xact_lock($1) as is_alone`,
)

const readMarkStatement = statement(
  'read_high_water_mark',
  [],
  { attempt_id: int8, acquirer_ref: text },
  `select attempt_id, acquirer_ref from attempt order by attempt_id desc limit 1`,
)

const findRefStatement = statement(
  'find_ref_at_mark',
  [int8],
  { acquirer_ref: text },
  `select acquirer_ref from attempt where attempt_id = $1`,
)

export async function lockNodes(tx: Tx): Promise<void> {
  await tx.run(lockNodesStatement, [])
}

export async function findNodes(
  db: Queryable,
  digest: string,
): Promise<{ readonly isRegistered: boolean; readonly registeredAt: readonly Temporal.Instant[] }> {
  const rows = await db.run(listNodesStatement, [digest])
  return {
    isRegistered: rows.some((row) => row.is_mine),
    registeredAt: rows.map((row) => row.registered_at),
  }
}

export async function registerNode(
  db: Queryable,
  { digest, at, reason }: { digest: string; at: Temporal.Instant; reason: string },
): Promise<void> {
  await db.run(registerNodeStatement, [digest, at, reason])
}

// Whether a registered node is connected to this very database now.
export async function isNodePresent(tx: Tx): Promise<boolean> {
  const [row] = await tx.run(isNobodyPresentStatement, [BigInt(presenceLock)])
  return row?.is_alone === false
}

export async function readMark(db: Queryable): Promise<Mark> {
  const [row] = await db.run(readMarkStatement, [])
  return row ? { attemptId: row.attempt_id, ref: row.acquirer_ref } : noMark
}

export async function findRefAt(db: Queryable, attemptId: bigint): Promise<string | null> {
  const [row] = await db.run(findRefStatement, [attemptId])
  return row?.acquirer_ref ?? null
}
