import type { InstalmentId } from '#capabilities/recurring/instalment.ts'
import type { NewInstalment } from '#capabilities/recurring/new-instalments.ts'
import { arrayOf, date, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertInstalmentsStatement = statement(
  'insert_instalments',
  [
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(int4),
    arrayOf(int8),
    arrayOf(int4),
    arrayOf(date),
    arrayOf(date),
    arrayOf(date),
    arrayOf(nullable(date)),
    arrayOf(int8),
    arrayOf(text),
    arrayOf(text),
    timestamptz,
  ],
  { instalment_id: int8 },
  `insert into instalment (plan_id, account_id, merchant_number, consent_id, payment_number, due_on,
     attempt_on, collect_on, announce_on, amount_minor, currency, because, state, created_at, changed_at)
   select i.*, 'scheduled', $13, $13
   from unnest($1::int8[], $2::int8[], $3::int4[], $4::int8[], $5::int4[], $6::date[], $7::date[],
     $8::date[], $9::date[], $10::int8[], $11::text[], $12::text[]) as i
   on conflict (plan_id, payment_number) do nothing
   returning instalment_id`,
)

// What is written already stays as it is.
export async function insertInstalments(
  tx: Tx,
  made: readonly NewInstalment[],
  at: Temporal.Instant,
): Promise<readonly InstalmentId[]> {
  if (made.length === 0) return []
  const rows = await tx.run(insertInstalmentsStatement, [
    made.map(({ plan }) => plan.planId),
    made.map(({ plan }) => plan.accountId),
    made.map(({ plan }) => plan.merchantNumber),
    made.map(({ plan }) => plan.consentId),
    made.map(({ paymentNumber }) => paymentNumber),
    made.map(({ dueOn }) => dueOn),
    made.map(({ attemptOn }) => attemptOn),
    made.map(({ collectOn }) => collectOn),
    made.map(({ announceOn }) => announceOn),
    made.map(({ amount }) => amount.minor),
    made.map(({ amount }) => amount.currency),
    made.map(({ because }) => because),
    at,
  ])
  return rows.map((row) => row.instalment_id as InstalmentId)
}
