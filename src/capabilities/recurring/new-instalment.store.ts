import type { InstalmentId, PlanId } from '#capabilities/recurring/instalment.ts'
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
    arrayOf(nullable(text)),
    timestamptz,
  ],
  { instalment_id: int8, plan_id: int8, payment_number: int4 },
  `insert into instalment (plan_id, account_id, merchant_number, consent_id, payment_number, due_on,
     attempt_on, collect_on, announce_on, amount_minor, currency, because, attempt_ref, attempts, tries,
     state, created_at, changed_at)
   select i.*, n.tries, n.tries, case n.tries when 0 then 'scheduled' else 'paid' end, $14, $14
   from unnest($1::int8[], $2::int8[], $3::int4[], $4::int8[], $5::int4[], $6::date[], $7::date[],
     $8::date[], $9::date[], $10::int8[], $11::text[], $12::text[], $13::text[])
     as i (plan_id, account_id, merchant_number, consent_id, payment_number, due_on, attempt_on, collect_on,
       announce_on, amount_minor, currency, because, paid_by)
   cross join lateral (select case when i.paid_by is null then 0 else 1 end as tries) n
   on conflict (plan_id, payment_number) do nothing
   returning instalment_id, plan_id, payment_number`,
)

type WrittenInstalment = {
  readonly instalmentId: InstalmentId
  readonly planId: PlanId
  readonly paymentNumber: number
}

// What is written already stays as it is.
export async function insertInstalments(
  tx: Tx,
  made: readonly NewInstalment[],
  at: Temporal.Instant,
): Promise<readonly WrittenInstalment[]> {
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
    made.map(({ paidBy }) => paidBy),
    at,
  ])
  return rows.map((row) => ({
    instalmentId: row.instalment_id as InstalmentId,
    planId: row.plan_id as PlanId,
    paymentNumber: row.payment_number,
  }))
}
