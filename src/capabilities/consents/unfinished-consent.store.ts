import type { ConsentId, ConsentKey, ConsentState } from '#capabilities/consents/consent.ts'
import type { CardId } from '#engine/vault/vault.ts'
import { accountId } from '#kernel/ids.ts'
import { arrayOf, int4, int8, jsonb, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const putUnfinishedStatement = statement(
  'put_unfinished_consent',
  [int8, timestamptz],
  {},
  `insert into unfinished_consent (consent_id, since) values ($1, $2) on conflict (consent_id) do nothing`,
)

const removeUnfinishedStatement = statement(
  'remove_unfinished_consents',
  [arrayOf(int8)],
  {},
  `delete from unfinished_consent where consent_id = any($1)`,
)

const listUnfinishedStatement = statement(
  'list_unfinished_consents',
  [timestamptz, int4],
  { consent_id: int8, account_id: int8, since: timestamptz },
  `select u.consent_id, c.account_id, u.since
   from unfinished_consent u join consent c using (consent_id)
   where c.state in ('cancelled', 'not_made') or u.since <= $1
   order by u.consent_id limit $2::int4`,
)

// What is being sent stands above the watermark; what is not resolved stands in its list, and what an
// operator must end in another. Operators need no card, so there only what makes the consent counts.
const listOpenAttemptsStatement = statement(
  'list_open_attempts_of_consent',
  [int8, jsonb, jsonb],
  { attempt_id: int8 },
  `select a.attempt_id from unresolved_attempt u join attempt a using (attempt_id)
   where a.account_id = $1 and (a.following @> $2 or a.following @> $3)
   union all
   select a.attempt_id from manual_attempt m join attempt a using (attempt_id)
   where not m.is_late and a.account_id = $1 and a.following @> $3
   union all
   select a.attempt_id from attempt a
   where a.attempt_id > (select attempt_id from recovery_watermark) and a.state = 'sending'
     and a.account_id = $1 and (a.following @> $2 or a.following @> $3)`,
)

const lockPendingConsentsStatement = statement(
  'lock_pending_consents',
  [arrayOf(int8), arrayOf(int8)],
  { consent_id: int8 },
  `select c.consent_id
   from consent c join unnest($1::int8[], $2::int8[]) as i (account_id, consent_id)
     on i.consent_id = c.consent_id and i.account_id = c.account_id
   where c.state = 'pending'
   order by c.consent_id
   for update of c`,
)

const settlePendingConsentsStatement = statement(
  'settle_pending_consents',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), arrayOf(text), timestamptz],
  { consent_id: int8 },
  `update consent c set state = i.state, network_id = i.network_id, changed_at = $5
   from unnest($1::int8[], $2::int8[], $3::text[], $4::text[]) as
     i (account_id, consent_id, state, network_id)
   where c.consent_id = i.consent_id and c.account_id = i.account_id and c.state = 'pending'
   returning c.consent_id`,
)

const findUnfinishedCardStatement = statement(
  'lock_unfinished_consent',
  [int8, int8],
  { state: text, card_id: int8 },
  `select c.state, c.card_id
   from unfinished_consent u join consent c using (consent_id)
   where c.account_id = $1 and c.consent_id = $2 and c.card_id is not null
   for update of c`,
)

export async function putUnfinished(tx: Tx, consent: ConsentId, since: Temporal.Instant): Promise<void> {
  await tx.run(putUnfinishedStatement, [consent, since])
}

export async function removeUnfinished(tx: Tx, consents: readonly bigint[]): Promise<void> {
  await tx.run(removeUnfinishedStatement, [consents])
}

export type Unfinished = ConsentKey & { readonly since: Temporal.Instant }

// Those that are over at once, pending ones when they have waited since that moment or longer.
export async function listUnfinished(
  db: Queryable,
  { pendingSince, most }: { pendingSince: Temporal.Instant; most: number },
): Promise<readonly Unfinished[]> {
  const rows = await db.run(listUnfinishedStatement, [pendingSince, most])
  return rows.map((row) => ({
    accountId: accountId(row.account_id),
    consentId: row.consent_id as ConsentId,
    since: row.since,
  }))
}

export async function hasOpenAttempts(tx: Tx, { accountId: account, consentId }: ConsentKey) {
  const charges = [['consent', consentId.toString()]]
  const verifications = [['new_consent', consentId.toString()]]
  return (await tx.run(listOpenAttemptsStatement, [account, charges, verifications])).length > 0
}

// Answers the consents that are still waiting for the issuer's word.
export async function lockPendingConsents(
  tx: Tx,
  keys: readonly { readonly account: bigint; readonly consent: bigint }[],
): Promise<ReadonlySet<bigint>> {
  const rows = await tx.run(lockPendingConsentsStatement, [
    keys.map(({ account }) => account),
    keys.map(({ consent }) => consent),
  ])
  return new Set(rows.map((row) => row.consent_id))
}

export type Settling = {
  readonly account: bigint
  readonly consent: bigint
  readonly state: Exclude<ConsentState, 'pending'>
  readonly networkId: string
}

// Answers the consents that were pending until now.
export async function settlePendingConsents(
  tx: Tx,
  settlings: readonly Settling[],
  at: Temporal.Instant,
): Promise<ReadonlySet<bigint>> {
  const rows = await tx.run(settlePendingConsentsStatement, [
    settlings.map(({ account }) => account),
    settlings.map(({ consent }) => consent),
    settlings.map(({ state }) => state),
    settlings.map(({ networkId }) => networkId),
    at,
  ])
  return new Set(rows.map((row) => row.consent_id))
}

export async function lockUnfinished(
  tx: Tx,
  key: ConsentKey,
): Promise<{ readonly state: ConsentState; readonly cardId: CardId } | null> {
  const [row] = await tx.run(findUnfinishedCardStatement, [key.accountId, key.consentId])
  return row ? { state: row.state as ConsentState, cardId: row.card_id as CardId } : null
}
