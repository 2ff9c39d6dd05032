import type { Posting } from '#engine/ledger/posting.ts'
import { earningKinds } from '#engine/payments/attempt.ts'
import type { Currency } from '#kernel/currency.ts'
import { arrayOf, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import { columnsOf } from '#platform/postgres/columns.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertPostingsStatement = statement(
  'insert_postings',
  [
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(int4),
    arrayOf(text),
    arrayOf(text),
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(text),
    timestamptz,
  ],
  {},
  `insert into journal (attempt_id, account_id, merchant_number, debit, credit, amount_minor, fee_minor,
     currency, created_at)
   select unnest($1::int8[]), unnest($2::int8[]), unnest($3::int4[]), unnest($4::text[]), unnest($5::text[]),
     unnest($6::int8[]), unnest($7::int8[]), unnest($8::text[]), $9`,
)

const columnsOfPostings = columnsOf<Posting>()(
  (one) => one.attemptId,
  (one) => one.accountId,
  (one) => one.merchantNumber,
  ({ debit }) => debit,
  ({ credit }) => credit,
  ({ amount }) => amount.minor,
  ({ fee }) => fee.minor,
  ({ amount }) => amount.currency,
)

// Sums by currency, without what payers' banks took back later: what was posted, what approved attempts say
// should have been posted, and how many attempts have other postings than they should, so that two wrongs do
// not make a right.
const compareBooksStatement = statement(
  'compare_books',
  [arrayOf(text)],
  { currency: text, posted: int8, expected: int8, orphans: int8 },
  `with booked as (
     select attempt_id, account_id, merchant_number, currency,
       sum(case when debit = 'acquirer' then amount_minor else -amount_minor end) as total,
       sum(case 'fees' when credit then amount_minor when debit then -amount_minor else 0 end) as fee
     from posting where debit <> 'disputes' and credit <> 'disputes'
     group by attempt_id, account_id, merchant_number, currency
   ), attempted as (
     select attempt_id, account_id, merchant_number, currency,
       case when kind = any($1) then approved_minor else -approved_minor end as total,
       case when kind = any($1) then approved_fee_minor else -approved_fee_minor end as fee
     from attempt where state in ('approved', 'partial') and kind <> 'verify'
   )
   select currency, coalesce(sum(b.total), 0)::int8 as posted, coalesce(sum(e.total), 0)::int8 as expected,
     count(*) filter (where coalesce(b.total, 0) <> coalesce(e.total, 0)
       or coalesce(b.fee, 0) <> coalesce(e.fee, 0)) as orphans
   from booked b full join attempted e using (attempt_id, account_id, merchant_number, currency)
   group by currency order by currency`,
)

export async function insertPostings(
  tx: Tx,
  postings: readonly Posting[],
  at: Temporal.Instant,
): Promise<void> {
  await tx.run(insertPostingsStatement, [...columnsOfPostings(postings), at])
}

export type BookComparison = {
  readonly currency: Currency
  readonly posted: bigint
  readonly expected: bigint
  readonly orphans: bigint
}

export async function compareBooks(db: Queryable): Promise<readonly BookComparison[]> {
  const rows = await db.run(compareBooksStatement, [earningKinds])
  return rows.map((row) => ({ ...row, currency: row.currency as Currency }))
}
