import { type LedTo, parseLedTo, printLedTo } from '#engine/idempotency/led-to.ts'
import type { AccountId } from '#kernel/ids.ts'
import { arrayOf, bytea, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import { columnsOf } from '#platform/postgres/columns.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// The column acquirer_ref holds what a key has led to as led-to.ts prints it: an attempt by its reference
// alone, so that it can be joined. A key is claimed once. It can be claimed again when what happened under it
// is that nothing happened.
const claimKeysStatement = statement(
  'claim_idempotency_keys',
  [arrayOf(int8), arrayOf(text), arrayOf(text), arrayOf(bytea), arrayOf(text), timestamptz],
  { acquirer_ref: text },
  `insert into idempotency as k (account_id, operation, key, fingerprint, acquirer_ref, created_at)
   select i.*, $6
   from unnest($1::int8[], $2::text[], $3::text[], $4::bytea[], $5::text[])
     as i (account_id, operation, key, fingerprint, acquirer_ref)
   on conflict (account_id, operation, key) do update
     set acquirer_ref = excluded.acquirer_ref, created_at = excluded.created_at
     where k.fingerprint = excluded.fingerprint
       and (select a.state from attempt a where a.acquirer_ref = k.acquirer_ref) = 'not_sent'
   returning acquirer_ref`,
)

// For keys that are believed to be new, which saves a search. One that was used before fails the transaction.
const insertNewKeysStatement = statement(
  'insert_new_idempotency_keys',
  [arrayOf(int8), arrayOf(text), arrayOf(text), arrayOf(bytea), arrayOf(text), timestamptz],
  {},
  `insert into idempotency (account_id, operation, key, fingerprint, acquirer_ref, created_at)
   select unnest($1::int8[]), unnest($2::text[]), unnest($3::text[]), unnest($4::bytea[]), unnest($5::text[]),
     $6`,
)

const releaseKeysStatement = statement(
  'release_idempotency_keys',
  [arrayOf(int8), arrayOf(text), arrayOf(text), arrayOf(text)],
  {},
  `delete from idempotency k
   using unnest($1::int8[], $2::text[], $3::text[], $4::text[])
     as i (account_id, operation, key, acquirer_ref)
   where k.account_id = i.account_id and k.operation = i.operation and k.key = i.key
     and k.acquirer_ref = i.acquirer_ref`,
)

const findKeyStatement = statement(
  'find_idempotency_key',
  [int8, text, text],
  { fingerprint: bytea, acquirer_ref: text },
  `select fingerprint, acquirer_ref from idempotency where account_id = $1 and operation = $2 and key = $3`,
)

export type KeyClaim = {
  readonly account: AccountId
  readonly operation: string
  readonly key: string
  readonly fingerprint: Buffer
  readonly ledTo: LedTo
}

const columnsOfClaims = columnsOf<KeyClaim>()(
  ({ account }) => account,
  ({ operation }) => operation,
  ({ key }) => key,
  ({ fingerprint }) => fingerprint,
  ({ ledTo }) => printLedTo(ledTo),
)

// Answers what got its key, as it is stored: an attempt by its reference. No two claims may be for one key.
export async function claimKeys(
  tx: Tx,
  asked: readonly KeyClaim[],
  at: Temporal.Instant,
): Promise<ReadonlySet<string>> {
  const rows = await tx.run(claimKeysStatement, valuesOf(asked, at))
  return new Set(rows.map((row) => row.acquirer_ref))
}

// Fails when one of them was used before (isKeyTaken).
export async function insertNewKeys(
  tx: Tx,
  claims: readonly KeyClaim[],
  at: Temporal.Instant,
): Promise<void> {
  await tx.run(insertNewKeysStatement, valuesOf(claims, at))
}

// By the name of the constraint: a partition would have another.
export function isKeyTaken(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'idempotency_pkey'
}

function valuesOf(asked: readonly KeyClaim[], at: Temporal.Instant) {
  // In one order by everybody: who claims a key waits for whoever is just claiming it.
  return [...columnsOfClaims(asked.toSorted(byKey)), at] as const
}

function byKey(one: KeyClaim, other: KeyClaim): number {
  if (one.key !== other.key) return one.key < other.key ? -1 : 1
  if (one.operation !== other.operation) return one.operation < other.operation ? -1 : 1
  return one.account < other.account ? -1 : 1
}

export async function releaseKeys(tx: Tx, claims: readonly KeyClaim[]): Promise<void> {
  await tx.run(releaseKeysStatement, [
    claims.map(({ account }) => account),
    claims.map(({ operation }) => operation),
    claims.map(({ key }) => key),
    claims.map(({ ledTo }) => printLedTo(ledTo)),
  ])
}

export async function findKey(
  db: Queryable,
  { account, operation, key }: Pick<KeyClaim, 'account' | 'operation' | 'key'>,
): Promise<{ readonly fingerprint: Buffer; readonly ledTo: LedTo } | null> {
  const [row] = await db.run(findKeyStatement, [account, operation, key])
  return row ? { fingerprint: row.fingerprint, ledTo: parseLedTo(row.acquirer_ref) } : null
}
