import { type Mark, noMark, type RefsAtMark, type Sighted } from '#engine/restore-guard/sending.ts'
import { assert } from '#kernel/assert.ts'
import { arrayOf, bool, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
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
  { kind: text, id: int8, acquirer_ref: text },
  `(select 'attempt' as kind, attempt_id as id, acquirer_ref from attempt order by attempt_id desc limit 1)
   union all
   (select 'batch', batch_id, acquirer_ref from batch order by batch_id desc limit 1)`,
)

const findRefsStatement = statement(
  'find_refs_at_mark',
  [int8, int8],
  { attempt: nullable(text), batch: nullable(text) },
  `select (select acquirer_ref from attempt where attempt_id = $1) as attempt,
     (select acquirer_ref from batch where batch_id = $2) as batch`,
)

// Of everything that is known outside by its id.
const sequencesOfIds = [
  'attempt_id_seq',
  'bank_trace_seq',
  'batch_id_seq',
  'card_order_id_seq',
  'consent_consent_id_seq',
  'event_event_id_seq',
  'form_form_id_seq',
  'instalment_instalment_id_seq',
  'link_id_seq',
  'order_record_record_id_seq',
  'plan_plan_id_seq',
  'webhook_endpoint_endpoint_id_seq',
]

// A series that begins anew some day does so here, too.
const skipIdsStatement = statement(
  'skip_ids',
  [arrayOf(text), int8],
  { skipped: int8 },
  `select setval(sequencename::regclass, case when cycle
       then min_value + (coalesce(last_value, 0) + $2 - min_value) % (max_value - min_value + 1)
       else coalesce(last_value, 0) + $2 end) as skipped
   from pg_sequences
   where schemaname = current_schema() and sequencename = any ($1::text[])`,
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
  const rows = await db.run(readMarkStatement, [])
  const newest = (kind: keyof Mark): Sighted => {
    const row = rows.find((one) => one.kind === kind)
    return row ? { id: row.id, ref: row.acquirer_ref } : noMark[kind]
  }
  return { attempt: newest('attempt'), batch: newest('batch') }
}

export async function findRefsAt(db: Queryable, { attempt, batch }: Mark): Promise<RefsAtMark> {
  const [row] = await db.run(findRefsStatement, [attempt.id, batch.id])
  return { attempt: row?.attempt ?? null, batch: row?.batch ?? null }
}

export async function skipIds(db: Queryable, count: bigint): Promise<void> {
  const skipped = await db.run(skipIdsStatement, [sequencesOfIds, count])
  assert(skipped.length === sequencesOfIds.length, 'every id comes from a sequence of the schema')
}
