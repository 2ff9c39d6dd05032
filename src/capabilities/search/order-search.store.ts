import { conditionOf, type FieldColumns } from '#capabilities/search/filter-condition.store.ts'
import type { Filter } from '#capabilities/search/filter.ts'
import type { FoundOrderRecord } from '#capabilities/search/found-order.ts'
import type { OrderField, SecondOrderField } from '#capabilities/search/order-charts.ts'
import type { Position } from '#capabilities/search/position.ts'
import type { Search } from '#capabilities/search/search-records.operation.ts'
import type { Payer, RecordAction, RecordResult, RecordStatus } from '#engine/orders/order.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import { currenciesWith, type Currency } from '#kernel/currency.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { arrayOf, int4, int8, jsonb, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import { runNarrowed, sql } from '#platform/postgres/condition.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

export type AnyOrderField = OrderField | SecondOrderField

// The place of a charge that is under way, which has no record yet: behind all steps of its order.
const underWay = 9_223_372_036_854_775_807n

export function positionOfOrder({ orderId, recordId }: FoundOrderRecord): Position {
  return [orderId, recordId === 0n ? underWay : recordId]
}

const recordColumns = {
  record_id: nullable(int8),
  order_id: int8,
  merchant_number: int4,
  time_zone: text,
  transaction_id: text,
  action: text,
  result: text,
  status: text,
  amount_minor: int8,
  currency: text,
  last_four: text,
  brand: text,
  expiry: text,
  card_token: text,
  consent_token: text,
  decline_reason: text,
  descriptor: text,
  client_ref: text,
  guid: text,
  instalment_id: nullable(int8),
  bank_at: nullable(timestamptz),
  chargeback_at: nullable(timestamptz),
  reason_code: nullable(text),
  payer: jsonb,
  created_at: timestamptz,
} as const

// All conditions are on one table, whose rows repeat what people search by; the rest is joined to what is
// answered. Beside it stand the charges that are under way: they have no record yet, and who asks must not be
// told that there is no charge. Those are few, and an index has nothing else. Orders newest first, the steps
// of each oldest first.
const searchOrdersStatement = statement(
  'search_orders',
  [int8, nullable(int4), nullable(int8), nullable(int8), int4, arrayOf(text), arrayOf(text)],
  recordColumns,
  `select r.record_id, r.order_id, r.merchant_number, m.time_zone, r.transaction_id, r.action, r.result,
     r.status, r.amount_minor, r.currency, r.last_four, o.brand, o.expiry, o.card_token, r.consent_token,
     r.decline_reason, o.descriptor, r.client_ref, r.guid, o.instalment_id, r.bank_at, r.chargeback_at,
     r.reason_code, o.payer, r.created_at
   from (
     select r.record_id, r.order_id, r.account_id, r.merchant_number, r.transaction_id, r.action, r.result,
       r.status, r.amount_minor, r.currency, r.last_four, r.consent_token, r.decline_reason, r.client_ref,
       r.guid, r.bank_at, r.chargeback_at, r.reason_code, r.created_at
     from (
       select record_id, order_id, account_id, merchant_number, transaction_id, action, result, status,
         amount_minor, amount_mills, currency, approval_code, decline_reason, last_name, first_name,
         customer_last_name, customer_first_name, client_ref, guid, last_four, consent_id, consent_token,
         origin, bank_at, chargeback_at, reason_code, created_at
       from order_record
       union all
       select null::int8, o.order_id, o.account_id, o.merchant_number, o.transaction_id, o.action,
         'ACCEPTED'::text, 'PENDING'::text, o.amount_minor,
         o.amount_minor * case when o.currency = any($6::text[]) then 1000
           when o.currency = any($7::text[]) then 1 else 10 end,
         o.currency, ''::text, ''::text, o.payer ->> 'lastName', o.payer ->> 'firstName',
         o.payer ->> 'customerLastName', o.payer ->> 'customerFirstName', o.client_ref, o.guid, o.last_four,
         case when o.action = 'RECURRING_SALE' then coalesce(o.consent_id::text, '') else '' end,
         case when o.action = 'RECURRING_SALE' then o.consent_token else '' end,
         o.origin, null::timestamptz, null::timestamptz, null::text, o.changed_at
       from card_order o
       where o.state = 'charging' and not exists (
         select from order_record s
         where s.account_id = o.account_id and s.order_id = o.order_id and s.attempt_ref = o.sale_ref)
     ) r
     where r.account_id = $1 and ($2::int4 is null or r.merchant_number = $2)
       and ($3::int8 is null or r.order_id <= $3
         and (r.order_id < $3 or r.record_id > $4::int8 or r.record_id is null and $4 <> ${underWay}))
       and true /* condition */
     order by r.order_id desc, r.record_id limit $5::int4
   ) r
     join card_order o on o.order_id = r.order_id and o.account_id = r.account_id
     join merchant m on m.account_id = r.account_id and m.merchant_number = r.merchant_number
   order by r.order_id desc, r.record_id`,
)

const columns: FieldColumns<AnyOrderField | 'consentToken'> = {
  merchant: sql`r.merchant_number`,
  status: sql`r.status`,
  created: sql`r.created_at`,
  lastName: sql`lower(r.last_name)`,
  result: sql`r.result`,
  transaction: sql`r.transaction_id`,
  action: sql`r.action`,
  firstName: sql`lower(r.first_name)`,
  amount: sql`r.amount_mills`,
  clientRef: sql`lower(r.client_ref)`,
  guid: sql`lower(r.guid)`,
  lastFour: sql`r.last_four`,
  consent: { ...sql`r.consent_id`, number: sql`coalesce(nullif(r.consent_id, '')::int8, 0)` },
  consentToken: sql`r.consent_token`,
  // No batch ever locks an order.
  lock: sql`'0'::text`,
  record: sql`r.record_id`,
  type: sql`''::text`,
  approvalCode: sql`lower(r.approval_code)`,
  customerLastName: sql`lower(r.customer_last_name)`,
  customerFirstName: sql`lower(r.customer_first_name)`,
  origin: sql`lower(r.origin)`,
}

export async function searchOrders(
  db: Queryable,
  { account, merchant, filter, after, most }: Search<AnyOrderField>,
): Promise<readonly FoundOrderRecord[]> {
  const rows = await runNarrowed(db, {
    statement: searchOrdersStatement,
    values: [
      account,
      merchant,
      after && after[0],
      after && after[1],
      most,
      currenciesWith(0),
      currenciesWith(3),
    ],
    condition: conditionOf(byNumberOrToken(filter), columns),
  })
  return rows.map(recordFromRow)
}

// A consent is meant by its number, which is all digits, or by its token.
function byNumberOrToken(filter: Filter<AnyOrderField>): Filter<AnyOrderField | 'consentToken'> {
  if ('parts' in filter) return { ...filter, parts: filter.parts.map(byNumberOrToken) }
  return filter.field === 'consent' && isToken(filter) ? { ...filter, field: 'consentToken' } : filter
}

function isToken(leaf: Exclude<Filter<AnyOrderField>, { parts: unknown }>): boolean {
  if (leaf.kind === 'among' || (leaf.kind === 'compare' && leaf.value.type === 'whole')) return false
  const written = leaf.kind === 'like' ? leaf.pattern : String(leaf.value.value)
  return /[a-z-]/i.test(written)
}

function recordFromRow(row: RowOf<typeof recordColumns>): FoundOrderRecord {
  return {
    recordId: row.record_id ?? 0n,
    orderId: row.order_id,
    merchantNumber: merchantNumber(row.merchant_number),
    timeZone: row.time_zone,
    transactionId: row.transaction_id,
    action: row.action as RecordAction,
    result: row.result as RecordResult,
    status: row.status as RecordStatus,
    amount: { minor: row.amount_minor, currency: row.currency as Currency },
    lastFour: row.last_four,
    brand: row.brand as CardBrand,
    expiry: row.expiry,
    cardToken: row.card_token,
    consentToken: row.consent_token,
    declineReason: row.decline_reason,
    descriptor: row.descriptor,
    clientRef: row.client_ref,
    guid: row.guid,
    instalmentId: row.instalment_id,
    bankAt: row.bank_at,
    chargebackAt: row.chargeback_at,
    reasonCode: row.reason_code,
    payer: row.payer as Payer,
    createdAt: row.created_at,
  }
}
