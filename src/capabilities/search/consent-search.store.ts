import type { ConsentField } from '#capabilities/search/consent-chart.ts'
import { conditionOf, type FieldColumns } from '#capabilities/search/filter-condition.store.ts'
import type { FoundConsent } from '#capabilities/search/found-consent.ts'
import { momentOf } from '#capabilities/search/position.ts'
import type { Search } from '#capabilities/search/search-records.operation.ts'
import type { Currency } from '#kernel/currency.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { date, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import { runNarrowed, sql } from '#platform/postgres/condition.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

export const consentColumns = {
  consent_id: int8,
  merchant_number: int4,
  state: text,
  currency: text,
  limit_per_charge_minor: int8,
  limit_lifetime_minor: int8,
  used_minor: int8,
  starts_on: date,
  ends_on: date,
  days: int4,
  customer_ref: text,
  service: text,
  guid: text,
  holder_first_name: text,
  holder_last_name: text,
  last_four: nullable(text),
  verification_id: nullable(int8),
  created_by: text,
  created_at: timestamptz,
} as const

export const consentSelection = `c.consent_id, c.merchant_number, c.state, c.currency,
     c.limit_per_charge_minor, c.limit_lifetime_minor, c.used_minor, c.starts_on, c.ends_on, c.days,
     c.customer_ref, c.service, c.guid, c.holder_first_name, c.holder_last_name, v.last_four,
     t.attempt_id as verification_id, coalesce(nullif(c.created_by, ''), u.alias) as created_by, c.created_at`

export const consentSource = `consent c
     join api_user u on u.api_user_id = c.created_by_user
     left join vault_card v on v.card_id = c.card_id
     left join attempt t on t.acquirer_ref = c.creation_ref`

// A consent whose card the issuer has not approved, or not yet, was never made. Nodes of the version before
// keep one that was declined as cancelled, so the attempt is asked as well.
export const consentRestriction = `c.account_id = $1 and ($2::int4 is null or c.merchant_number = $2)
     and ($3::timestamptz is null or (c.created_at, c.consent_id) < ($3, $4::int8))
     and c.state in ('active', 'cancelled') and (t.state is null or t.state = 'approved')`

const searchAnnualConsentsStatement = statement(
  'search_annual_consents',
  [int8, nullable(int4), nullable(timestamptz), nullable(int8), int4],
  consentColumns,
  `select ${consentSelection}
   from ${consentSource}
   where ${consentRestriction} and c.kind in ('A', 'O') and true /* condition */
   order by c.created_at desc, c.consent_id desc limit $5::int4`,
)

export const consentFields: FieldColumns<ConsentField> = {
  merchant: sql`c.merchant_number`,
  startsOn: sql`c.starts_on`,
  endsOn: sql`c.ends_on`,
  lastName: sql`lower(c.holder_last_name)`,
  created: sql`c.created_at`,
  customerRef: sql`lower(c.customer_ref)`,
  type: sql`c.kind`,
  enabled: sql`case c.state when 'active' then 'true' else 'false' end`,
  guid: sql`lower(c.guid)`,
  firstName: sql`lower(c.holder_first_name)`,
  consent: sql`c.consent_id`,
}

// Newest first.
export async function searchAnnualConsents(
  db: Queryable,
  { account, merchant, filter, after, most }: Search<ConsentField>,
): Promise<readonly FoundConsent[]> {
  const rows = await runNarrowed(db, {
    statement: searchAnnualConsentsStatement,
    values: [account, merchant, after && momentOf(after), after && after[1], most],
    condition: conditionOf(filter, consentFields),
  })
  return rows.map(consentFromRow)
}

export function consentFromRow(row: RowOf<typeof consentColumns>): FoundConsent {
  const currency = row.currency as Currency
  return {
    consentId: row.consent_id,
    merchantNumber: merchantNumber(row.merchant_number),
    holderFirstName: row.holder_first_name,
    holderLastName: row.holder_last_name,
    lastFour: row.last_four ?? '',
    verificationId: row.verification_id,
    customerRef: row.customer_ref,
    guid: row.guid,
    service: row.service,
    startsOn: row.starts_on,
    endsOn: row.ends_on,
    isEnabled: row.state === 'active',
    days: row.days,
    limitPerCharge: { minor: row.limit_per_charge_minor, currency },
    limitLifetime: { minor: row.limit_lifetime_minor, currency },
    used: { minor: row.used_minor, currency },
    createdAt: row.created_at,
    createdBy: row.created_by,
  }
}
