import {
  instalmentColumns,
  instalmentFromRow,
  instalmentSelection,
} from '#capabilities/recurring/instalment.store.ts'
import type { Instalment, InstalmentId } from '#capabilities/recurring/instalment.ts'
import type { Claim, DueClaim, DueQuestion, NamedQuestion } from '#capabilities/recurring/instalment-claim.ts'
import { arrayOf, date, int4, int8, nullable, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// While an account is locked nothing of it is charged or announced, and once it is closed nothing ever is.
// Other work may be due of it, so whoever takes what is due asks as well. With the account as $1.
export const isAccountOpen = `exists (select 1 from account where account_id = $1 and state = 'open')`

// Whether the account is open is asked with every portion: it may be locked or closed while its payments are
// collected, and nobody could stop them then.
// In the order of their days, and from where the last portion ended. Two runs at once claim different ones,
// so that neither prepares what the other charges.
const claimDueStatement = statement(
  'claim_due_instalments',
  [int8, int4, date, nullable(date), date, int8, int4, timestamptz, timestamptz],
  instalmentColumns,
  `with due as (
     select instalment_id from instalment
     where account_id = $1 and merchant_number = $2 and state = 'scheduled' and attempt_on <= $3
       and ($4::date is null or collect_on <= $4) and (attempt_on, instalment_id) > ($5, $6)
       and (claimed_until is null or claimed_until <= $8) and ${isAccountOpen}
     order by attempt_on, instalment_id limit $7::int4 for update skip locked
   ), claimed as (
     update instalment i set claimed_until = $9 from due where i.instalment_id = due.instalment_id
     returning i.instalment_id
   )
   ${instalmentSelection}
   where i.instalment_id in (select instalment_id from claimed)
   order by i.attempt_on, i.instalment_id`,
)

const claimNamedStatement = statement(
  'claim_named_instalments',
  [int8, arrayOf(int8), timestamptz, timestamptz],
  instalmentColumns,
  `with named as (
     select instalment_id from instalment
     where account_id = $1 and instalment_id = any($2) and (claimed_until is null or claimed_until <= $3)
       and ${isAccountOpen}
     order by instalment_id for update skip locked
   ), claimed as (
     update instalment i set claimed_until = $4 from named where i.instalment_id = named.instalment_id
     returning i.instalment_id
   )
   ${instalmentSelection}
   where i.instalment_id in (select instalment_id from claimed)
   order by i.instalment_id`,
)

const releaseClaimsStatement = statement(
  'release_claims_of_instalments',
  [arrayOf(int8), timestamptz],
  {},
  `update instalment set claimed_until = null where instalment_id = any($1) and claimed_until = $2`,
)

export async function claimDue(
  db: Queryable,
  { accountId: account, merchant, on, collectedOn }: DueQuestion,
  { after, most, from, until }: DueClaim,
): Promise<readonly Instalment[]> {
  const day = after?.attemptOn ?? Temporal.PlainDate.from('0001-01-01')
  const id = after?.instalmentId ?? 0n
  const asked = [account, merchant, on, collectedOn, day, id, most, from, until] as const
  return (await db.run(claimDueStatement, asked)).map(instalmentFromRow)
}

export async function claimNamed(
  db: Queryable,
  { accountId: account, instalments }: NamedQuestion,
  { from, until }: Claim,
): Promise<readonly Instalment[]> {
  return (await db.run(claimNamedStatement, [account, instalments, from, until])).map(instalmentFromRow)
}

// Only those that nobody has claimed anew.
export async function releaseClaims(
  db: Queryable,
  instalments: readonly InstalmentId[],
  until: Temporal.Instant,
): Promise<void> {
  await db.run(releaseClaimsStatement, [instalments, until])
}
