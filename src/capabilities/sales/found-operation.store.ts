import type { FoundOperation } from '#capabilities/sales/found-operation.ts'
import { amountsOf } from '#engine/fees/amounts.ts'
import type { AttemptState } from '#engine/payments/attempt.ts'
import type { Currency } from '#kernel/currency.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const foundColumns = {
  attempt_id: int8,
  kind: text,
  operation: text,
  state: text,
  result_code: text,
  total_minor: int8,
  fee_minor: int8,
  approved_minor: int8,
  approved_fee_minor: int8,
  currency: text,
  created_at: timestamptz,
  consent_id: int8,
  origin: text,
  following: text,
  asked_by: text,
  parent_id: int8,
} as const

// What was to begin a consent and is not approved has left none.
const consentOfAttempt = `case when a.state <> 'approved' and a.following @> '[["new_consent"]]' then 0
     else coalesce(nullif(a.details ->> 'consentId', ''), '0')::int8 end as consent_id`

const circumstances = `coalesce(a.details ->> 'origin', '') as origin,
     (select coalesce(string_agg(f.value ->> 0, ' '), '')
       from jsonb_array_elements(a.following) f) as following,
     coalesce(a.details ->> 'askedBy', '') as asked_by,
     coalesce(a.parent_id, 0) as parent_id`

const attemptSelectionOf = (operation: string): string => `a.attempt_id, a.kind, ${operation} as operation,
     a.state, a.result_code, a.total_minor, a.fee_minor, a.approved_minor, a.approved_fee_minor, a.currency,
     a.created_at, ${consentOfAttempt}, ${circumstances}`

// Of an attempt a: as far as it tells by itself which call it was, and where its key k tells.
const attemptSelection = attemptSelectionOf(`''`)
const keyedAttemptSelection = attemptSelectionOf('k.operation')

// What keys have led to instead of an attempt, in the texts of engine/idempotency/led-to.ts: "batch" with its
// id and fence, "form" with the beginning of its digest, "link" and "link-again" with the id. What a
// settlement was told stays so, whoever settles the same batch later.
const madeUnderName = `
     select 'batch' as kind, t.merchant_number, t.sales_minor - t.credits_minor as minor, t.currency,
       case coalesce(w.state, t.state) when 'accepted' then 'approved'
         when 'rejected' then 'declined' when 'released' then 'declined' else 'unknown' end as state,
       case n.sending when '1' then t.closed_at end as created_at
     from batch t left join batch_answer w on w.batch_id = t.batch_id
       and w.fence = case n.what when 'batch' then n.sending::int4 end
     where t.account_id = k.account_id and t.batch_id = case n.what when 'batch' then n.id::int8 end
     union all
     select 'form', f.merchant_number, f.amount_minor, f.currency, 'approved', f.created_at
     from form f
     where f.account_id = k.account_id and f.token_digest between
       case n.what when 'form' then decode(n.id, 'hex') end and
       case n.what when 'form' then decode(rpad(n.id, 64, 'f'), 'hex') end
     union all
     select 'link', l.merchant_number, l.amount_minor, l.currency, 'approved',
       case n.what when 'link' then l.created_at end
     from link l
     where l.account_id = k.account_id
       and l.link_id = case when n.what in ('link', 'link-again') then n.id::int8 end`

// The key of a run leads to all of its payments; led-to.ts names it by "run" and its id.
const paymentsOfRun = `idempotency k
     join keyed_run_payment p on p.run_id = case split_part(k.acquirer_ref, ':', 1)
       when 'run' then split_part(k.acquirer_ref, ':', 2)::int8 end
     join attempt a on a.acquirer_ref = p.acquirer_ref and a.account_id = k.account_id`

// A key leads to an attempt, to a consent that was made without asking the issuer, or to what else was made.
const findByKeyStatement = statement(
  'find_operations_by_key',
  [int8, text, nullable(int4), int4],
  foundColumns,
  `select ${keyedAttemptSelection}
   from idempotency k join attempt a on a.acquirer_ref = k.acquirer_ref and a.account_id = k.account_id
   where k.account_id = $1 and k.key = $2 and ($3::int4 is null or a.merchant_number = $3)
   union all
   select ${keyedAttemptSelection}
   from ${paymentsOfRun}
   where k.account_id = $1 and k.key = $2 and ($3::int4 is null or a.merchant_number = $3)
   union all
   select 0, 'consent', k.operation, 'approved', '', 0, 0, 0, 0, c.currency, c.created_at, c.consent_id,
     '', '', '', 0
   from idempotency k join consent c on c.creation_ref = k.acquirer_ref and c.account_id = k.account_id
   where k.account_id = $1 and k.key = $2 and ($3::int4 is null or c.merchant_number = $3)
     and not exists (select 1 from attempt a where a.acquirer_ref = k.acquirer_ref)
   union all
   select 0, m.kind, k.operation, m.state, '', coalesce(m.minor, 0), 0, coalesce(m.minor, 0), 0, m.currency,
     coalesce(m.created_at, k.created_at), 0, '', '', '', 0
   from idempotency k
     cross join lateral (select split_part(k.acquirer_ref, ':', 1) as what,
       split_part(k.acquirer_ref, ':', 2) as id, split_part(k.acquirer_ref, ':', 3) as sending) n
     cross join lateral (${madeUnderName}) m
   where k.account_id = $1 and k.key = $2 and ($3::int4 is null or m.merchant_number = $3)
   order by created_at desc, attempt_id desc limit $4::int4`,
)

// Whoever looks for a reference has lost an answer moments ago, so the newest 1,000 attempts of the account
// are looked through first, by the clocks of its nodes, which may differ by moments. A range from one account
// to the same: told that they are equal, the planner may walk back through the attempts of everybody.
const findByReferenceStatement = statement(
  'find_operations_by_reference',
  [int8, text, nullable(int4), int4],
  foundColumns,
  `select ${attemptSelection}
   from (
     select attempt_id, account_id, merchant_number, kind, state, result_code, total_minor, fee_minor,
       approved_minor, approved_fee_minor, currency, details, following, parent_id, created_at
     from attempt where account_id between $1 and $1
     order by account_id desc, created_at desc, attempt_id desc limit 1000
   ) a
   where (a.details ->> 'clientRef' = $2 or a.details ->> 'guid' = $2)
     and ($3::int4 is null or a.merchant_number = $3)
   order by a.attempt_id desc limit $4::int4`,
)

// The others by the block ranges that may hold it. Sums, so that neither the account nor the order seems to
// be led by an index: both would go through all attempts of a large account.
const findOldByReferenceStatement = statement(
  'find_old_operations_by_reference',
  [int8, text, nullable(int4), int4],
  foundColumns,
  `select ${attemptSelection}
   from attempt a
   where a.account_id + 0 = $1 and ($3::int4 is null or a.merchant_number = $3)
     and (lower(a.details ->> 'clientRef') = lower($2) or lower(a.details ->> 'guid') = lower($2))
     and (a.details ->> 'clientRef' = $2 or a.details ->> 'guid' = $2)
   order by a.attempt_id + 0 desc limit $4::int4`,
)

const findByIdStatement = statement(
  'find_operation_by_id',
  [int8, int8, nullable(int4)],
  foundColumns,
  `select ${attemptSelection}
   from attempt a
   where a.attempt_id = $2 and a.account_id = $1 and ($3::int4 is null or a.merchant_number = $3)`,
)

export type Search = {
  readonly account: AccountId
  // The only merchant record whose operations are shown; null for all.
  readonly merchant: MerchantNumber | null
  readonly text: string
  readonly most: number
}

// Newest first.
export async function findOperationsByKey(db: Queryable, search: Search): Promise<readonly FoundOperation[]> {
  return (await db.run(findByKeyStatement, valuesOf(search))).map(foundFromRow)
}

export async function findOperationsByReference(
  db: Queryable,
  search: Search,
): Promise<readonly FoundOperation[]> {
  const newest = await db.run(findByReferenceStatement, valuesOf(search))
  const rows = newest.length > 0 ? newest : await db.run(findOldByReferenceStatement, valuesOf(search))
  return rows.map(foundFromRow)
}

// By the id of its transaction, which the text is.
export async function findOperationById(
  db: Queryable,
  { account, text: id, merchant }: Search,
): Promise<readonly FoundOperation[]> {
  return (await db.run(findByIdStatement, [account, BigInt(id), merchant])).map(foundFromRow)
}

function valuesOf({ account, text: sought, merchant, most }: Search) {
  return [account, sought, merchant, most] as const
}

function foundFromRow(row: RowOf<typeof foundColumns>): FoundOperation {
  const currency = row.currency as Currency
  const amounts = (total: bigint, fee: bigint) =>
    amountsOf({ minor: total - fee, currency }, { minor: fee, currency })
  return {
    transactionId: row.attempt_id,
    consentId: row.consent_id,
    kind: row.kind as FoundOperation['kind'],
    operation: row.operation,
    origin: row.origin,
    following: row.following.split(' '),
    askedBy: row.asked_by as FoundOperation['askedBy'],
    parentId: row.parent_id,
    state: row.state as AttemptState,
    resultCode: row.result_code,
    amounts: amounts(row.total_minor, row.fee_minor),
    approved: amounts(row.approved_minor, row.approved_fee_minor),
    createdAt: row.created_at,
  }
}
