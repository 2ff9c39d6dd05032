import type { OrderStep } from '#engine/orders/order.ts'
import { exponentOf } from '#kernel/currency.ts'
import type { Money } from '#kernel/money.ts'
import { arrayOf, bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// What people search by comes from the order, which has moved already. A consent is told of once there is
// one: it begins when the order that made it is paid.
const insertRecordsStatement = statement(
  'insert_order_records',
  [
    arrayOf(int8),
    arrayOf(nullable(text)),
    arrayOf(text),
    arrayOf(text),
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(bool),
    arrayOf(nullable(timestamptz)),
    arrayOf(nullable(text)),
    timestamptz,
  ],
  {},
  `insert into order_record (order_id, account_id, merchant_number, transaction_id, action, result, status,
     amount_minor, amount_mills, currency, approval_code, decline_reason, attempt_ref, last_name, first_name,
     customer_last_name, customer_first_name, client_ref, guid, last_four, consent_id, consent_token, origin,
     awaits_bank, chargeback_at, reason_code, created_at)
   select o.order_id, o.account_id, o.merchant_number, o.transaction_id, coalesce(i.action, o.action),
     i.result, i.status, i.amount_minor, i.amount_mills, o.currency, i.approval_code, i.decline_reason,
     i.attempt_ref,
     o.payer ->> 'lastName', o.payer ->> 'firstName', o.payer ->> 'customerLastName',
     o.payer ->> 'customerFirstName', o.client_ref, o.guid, o.last_four,
     case when c.is_known then coalesce(o.consent_id::text, '') else '' end,
     case when c.is_known then o.consent_token else '' end,
     o.origin, i.awaits_bank, i.chargeback_at, i.reason_code, $13
   from unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::int8[], $7::text[], $8::text[],
     $9::text[], $10::bool[], $11::timestamptz[], $12::text[])
     as i (order_id, action, result, status, amount_minor, amount_mills, approval_code, decline_reason,
       attempt_ref, awaits_bank, chargeback_at, reason_code)
   join card_order o on o.order_id = i.order_id
   cross join lateral (
     select o.action = 'RECURRING_SALE' or o.state in ('settled', 'void', 'charged_back') as is_known
   ) c`,
)

const forgoBankStatement = statement(
  'forgo_bank_for_orders',
  [arrayOf(int8), arrayOf(int8)],
  {},
  `update order_record r set awaits_bank = false
   from unnest($1::int8[], $2::int8[]) as i (account_id, order_id)
   where r.account_id = i.account_id and r.order_id = i.order_id and r.awaits_bank`,
)

// One look for each international record, by the index of what awaits the bank. An order that is being voided
// may stay so for long, in the hands of an operator; nothing is to be done for it meanwhile.
const listAwaitingStatement = statement(
  'list_records_awaiting_bank',
  [nullable(int8)],
  { account_id: int8, merchant_number: int4, time_zone: text, oldest_at: timestamptz },
  `select m.account_id, m.merchant_number, m.time_zone, w.created_at as oldest_at
   from merchant m
   cross join lateral (
     select r.created_at
     from order_record r join card_order o on o.order_id = r.order_id and o.account_id = r.account_id
     where r.account_id = m.account_id and r.merchant_number = m.merchant_number and r.awaits_bank
       and o.taken_by is null and o.state <> 'void'
     order by r.created_at limit 1
   ) w
   where m.is_international and ($1::int8 is null or m.account_id = $1)`,
)

// What somebody is voiding at this moment waits for the next day. A void may also be done while its order is
// waited for here, when the record was read already.
const takeToBankStatement = statement(
  'take_orders_to_bank',
  [int8, int4, timestamptz, int4],
  { record_id: int8 },
  `with due as materialized (
     select r.record_id, r.order_id, r.status
     from order_record r join card_order o on o.order_id = r.order_id and o.account_id = r.account_id
     where r.account_id = $1 and r.merchant_number = $2 and r.awaits_bank and r.created_at < $3
       and o.taken_by is null and o.state <> 'void'
     order by r.order_id, r.record_id limit $4::int4 for update of o
   ), closed as (
     update card_order o set bank_at = $3 from due d where o.order_id = d.order_id and d.status = 'SETTLED'
   )
   update order_record r set bank_at = $3, awaits_bank = false
   from due d where r.record_id = d.record_id and r.awaits_bank
   returning r.record_id`,
)

export async function insertOrderRecords(
  tx: Tx,
  steps: readonly OrderStep[],
  at: Temporal.Instant,
): Promise<void> {
  await tx.run(insertRecordsStatement, [
    steps.map((step) => step.orderId),
    steps.map(({ action }) => action),
    steps.map(({ result }) => result),
    steps.map(({ status }) => status),
    steps.map(({ amount }) => amount.minor),
    steps.map(({ amount }) => millsOf(amount)),
    steps.map(({ approvalCode }) => approvalCode),
    steps.map(({ declineReason }) => declineReason),
    steps.map(({ attemptRef }) => attemptRef),
    steps.map(({ awaitsBank }) => awaitsBank),
    steps.map(({ dispute }) => dispute?.openedAt ?? null),
    steps.map(({ dispute }) => dispute?.reasonCode ?? null),
    at,
  ])
}

// No currency has more than three decimals.
function millsOf({ minor, currency }: Money): bigint {
  return minor * 10n ** BigInt(3 - exponentOf(currency))
}

type OrderOf = { readonly account: bigint; readonly order: bigint }

// A voided order never gets to the bank.
export async function forgoBank(tx: Tx, orders: readonly OrderOf[]): Promise<void> {
  await tx.run(forgoBankStatement, [orders.map(({ account }) => account), orders.map(({ order }) => order)])
}

export type Awaiting = {
  readonly account: bigint
  readonly merchant: number
  readonly timeZone: string
  readonly oldestAt: Temporal.Instant
}

// null: of all accounts.
export async function listAwaiting(db: Queryable, account: bigint | null): Promise<readonly Awaiting[]> {
  const rows = await db.run(listAwaitingStatement, [account])
  return rows.map((row) => ({
    account: row.account_id,
    merchant: row.merchant_number,
    timeZone: row.time_zone,
    oldestAt: row.oldest_at,
  }))
}

export async function takeToBank(
  db: Queryable,
  {
    account,
    merchant,
    at,
    most,
  }: Omit<Awaiting, 'timeZone' | 'oldestAt'> & { at: Temporal.Instant; most: number },
): Promise<number> {
  return (await db.run(takeToBankStatement, [account, merchant, at, most])).length
}
