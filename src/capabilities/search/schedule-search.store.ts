import { instalmentId, type InstalmentState, type PlanId } from '#capabilities/recurring/instalment.ts'
import type { Period } from '#capabilities/recurring/period.ts'
import type { ShownInstalment } from '#capabilities/recurring/scheduled-payment.wire.ts'
import { conditionOf, type FieldColumns } from '#capabilities/search/filter-condition.store.ts'
import type { ScheduleField } from '#capabilities/search/schedule-chart.ts'
import type { Search } from '#capabilities/search/search-records.operation.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import type { Currency } from '#kernel/currency.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { date, int4, int8, nullable, text } from '#platform/postgres/column-type.ts'
import { runNarrowed, sql } from '#platform/postgres/condition.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const scheduleColumns = {
  instalment_id: int8,
  plan_id: int8,
  consent_id: int8,
  merchant_number: int4,
  payment_number: int4,
  state: text,
  due_on: date,
  amount_minor: int8,
  currency: text,
  tries: int4,
  attempt_id: nullable(int8),
  period: text,
  payments: nullable(int4),
  total_minor: int8,
  guid: text,
  holder_last_name: text,
  last_four: nullable(text),
} as const

const searchSchedulesStatement = statement(
  'search_schedules',
  [int8, nullable(int4), nullable(int8), nullable(int8), int4],
  scheduleColumns,
  `select i.instalment_id, i.plan_id, i.consent_id, i.merchant_number, i.payment_number, i.state, i.due_on,
     i.amount_minor, i.currency, i.tries, a.attempt_id, p.period, p.payments, p.total_minor, c.guid,
     c.holder_last_name, v.last_four
   from instalment i
     join plan p on p.plan_id = i.plan_id
     join consent c on c.consent_id = p.consent_id
     left join vault_card v on v.card_id = c.card_id
     left join attempt a on a.acquirer_ref = i.attempt_ref
   where i.account_id = $1 and p.account_id = $1 and c.account_id = $1
     and ($2::int4 is null or i.merchant_number = $2)
     and ($3::int8 is null or p.plan_id <= $3 and (p.plan_id < $3 or i.payment_number < $4::int8))
     and true /* condition */
   order by p.plan_id desc, i.payment_number desc limit $5::int4`,
)

const columns: FieldColumns<ScheduleField> = {
  consent: sql`p.consent_id`,
  status: sql`i.state`,
  dueOn: sql`i.due_on`,
  lastName: sql`lower(c.holder_last_name)`,
  merchant: sql`i.merchant_number`,
  lastFour: sql`coalesce(v.last_four, '')`,
  schedule: sql`i.instalment_id`,
  type: sql`case when p.payments is null then 'S' else 'R' end`,
}

// Not by due date, which may be changed between two pages.
export async function searchSchedules(
  db: Queryable,
  { account, merchant, filter, after, most }: Search<ScheduleField>,
): Promise<readonly ShownInstalment[]> {
  const rows = await runNarrowed(db, {
    statement: searchSchedulesStatement,
    values: [account, merchant, after && after[0], after && after[1], most],
    condition: conditionOf(filter, columns),
  })
  return rows.map(instalmentFromRow)
}

function instalmentFromRow(row: RowOf<typeof scheduleColumns>): ShownInstalment {
  const currency = row.currency as Currency
  return {
    instalmentId: instalmentId(row.instalment_id),
    planId: row.plan_id as PlanId,
    consentId: row.consent_id as ShownInstalment['consentId'],
    merchantNumber: merchantNumber(row.merchant_number),
    paymentNumber: row.payment_number,
    state: row.state as InstalmentState,
    dueOn: row.due_on,
    amount: { minor: row.amount_minor, currency },
    tries: row.tries,
    attemptId: row.attempt_id === null ? null : attemptId(row.attempt_id),
    period: row.period as Period,
    payments: row.payments,
    total: { minor: row.total_minor, currency },
    guid: row.guid,
    holderLastName: row.holder_last_name,
    lastFour: row.last_four ?? '',
  }
}
