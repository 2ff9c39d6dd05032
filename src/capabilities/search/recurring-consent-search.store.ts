import type { Period } from '#capabilities/recurring/period.ts'
import type { ConsentField } from '#capabilities/search/consent-chart.ts'
import {
  consentColumns,
  consentFields,
  consentFromRow,
  consentRestriction,
  consentSelection,
  consentSource,
} from '#capabilities/search/consent-search.store.ts'
import { conditionOf } from '#capabilities/search/filter-condition.store.ts'
import type { FoundRecurringConsent } from '#capabilities/search/found-consent.ts'
import { momentOf } from '#capabilities/search/position.ts'
import type { Search } from '#capabilities/search/search-records.operation.ts'
import type { Currency } from '#kernel/currency.ts'
import { bool, date, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import { runNarrowed, sql } from '#platform/postgres/condition.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const recurringColumns = {
  ...consentColumns,
  is_enabled: bool,
  plan_starts_on: date,
  plan_ends_on: date,
  period: text,
  payments: nullable(int4),
  total_minor: int8,
  payment_minor: int8,
  last_payment_minor: int8,
  paid_minor: int8,
} as const

// A plan ends on the day of its last payment; a subscription with its consent, which is never by itself. It
// goes on while something is scheduled or being charged: what has failed comes back only if somebody asks.
const recurringFields = {
  ...consentFields,
  enabled: sql`case when c.state = 'active' and p.state = 'active' and e.is_going_on
    then 'true' else 'false' end`,
  startsOn: sql`p.starts_on`,
  endsOn: sql`e.on_day`,
}

// Paid is what the bank approved, which may be less than the instalment, and nothing where it was voided.
const searchRecurringConsentsStatement = statement(
  'search_recurring_consents',
  [int8, nullable(int4), nullable(timestamptz), nullable(int8), int4],
  recurringColumns,
  `select ${consentSelection}, 
     c.state = 'active' and p.state = 'active' and e.is_going_on as is_enabled, p.starts_on as plan_starts_on,
     e.on_day as plan_ends_on, p.period, p.payments, p.total_minor, p.payment_minor,
     coalesce((select i.amount_minor from instalment i where i.plan_id = p.plan_id
       order by i.payment_number desc limit 1), p.payment_minor) as last_payment_minor,
     coalesce((select sum(a.approved_minor) from instalment i join attempt a on a.acquirer_ref = i.attempt_ref
       where i.plan_id = p.plan_id and i.state = 'paid' and a.status is distinct from 'void'), 0)::int8
       as paid_minor
   from ${consentSource}
     join plan p on p.consent_id = c.consent_id
     cross join lateral (
       select case when p.payments is null then c.ends_on
           else coalesce(max(i.due_on), p.starts_on) end as on_day,
         coalesce(bool_or(i.state in ('scheduled', 'charging')), false) as is_going_on
       from instalment i where i.plan_id = p.plan_id) e
   where ${consentRestriction} and p.state <> 'pending' and true /* condition */
   order by c.created_at desc, c.consent_id desc limit $5::int4`,
)

// Newest first.
export async function searchRecurringConsents(
  db: Queryable,
  { account, merchant, filter, after, most }: Search<ConsentField>,
): Promise<readonly FoundRecurringConsent[]> {
  const rows = await runNarrowed(db, {
    statement: searchRecurringConsentsStatement,
    values: [account, merchant, after && momentOf(after), after && after[1], most],
    condition: conditionOf(filter, recurringFields),
  })
  return rows.map(recurringFromRow)
}

function recurringFromRow(row: RowOf<typeof recurringColumns>): FoundRecurringConsent {
  const currency = row.currency as Currency
  return {
    ...consentFromRow(row),
    isEnabled: row.is_enabled,
    startsOn: row.plan_starts_on,
    endsOn: row.plan_ends_on,
    period: row.period as Period,
    payments: row.payments,
    total: { minor: row.total_minor, currency },
    payment: { minor: row.payment_minor, currency },
    lastPayment: { minor: row.last_payment_minor, currency },
    paid: { minor: row.paid_minor, currency },
  }
}
