import type { ConsentFacts, Receipt } from '#capabilities/receipts/receipt.ts'
import { attemptId, type AttemptId } from '#engine/payments/attempt.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { Currency } from '#kernel/currency.ts'
import { type AccountId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import { date, int4, int8, jsonb, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const findReceiptStatement = statement(
  'find_receipt',
  [int8, int4, int8],
  { snapshot: jsonb },
  `select snapshot from receipt where account_id = $1 and receipt_type = $2 and subject_id = $3`,
)

// Of two who print a receipt for the first time at once, the first one's words count for both.
const insertReceiptStatement = statement(
  'insert_receipt',
  [int8, int4, int8, jsonb, timestamptz],
  {},
  `insert into receipt (account_id, receipt_type, subject_id, snapshot, created_at)
   values ($1, $2, $3, $4, $5) on conflict do nothing`,
)

// The void of a sale or bank debit, found from what it undid.
const findVoidStatement = statement(
  'find_void_of_payment',
  [int8, int8],
  { attempt_id: int8 },
  `select a.attempt_id
   from (
     select account_id, taken_by as ref from payment where payment_id = $2 and status = 'void'
     union all
     select account_id, voided_by from bank_item where attempt_id = $2 and status = 'void'
   ) undone
   join attempt a on a.acquirer_ref = undone.ref
   where undone.account_id = $1`,
)

const findConsentStatement = statement(
  'find_consent_for_receipt',
  [int8, int8],
  {
    merchant_number: int4,
    kind: text,
    state: text,
    currency: text,
    holder_first_name: text,
    holder_last_name: text,
    last_four: text,
    brand: text,
    customer_ref: text,
    service: text,
    starts_on: date,
    ends_on: date,
    limit_per_charge_minor: int8,
    limit_lifetime_minor: int8,
    agreement: text,
    agreed_at: timestamptz,
    period: nullable(text),
    payments: nullable(int4),
    payment_minor: nullable(int8),
    total_minor: nullable(int8),
  },
  `select c.merchant_number, c.kind, c.state, c.currency, c.holder_first_name, c.holder_last_name,
     coalesce(v.last_four, '') as last_four, coalesce(v.brand, '') as brand, c.customer_ref, c.service,
     c.starts_on, c.ends_on, c.limit_per_charge_minor, c.limit_lifetime_minor, c.agreement, c.agreed_at,
     p.period, p.payments, p.payment_minor, p.total_minor
   from consent c left join vault_card v on v.card_id = c.card_id
     left join plan p on p.consent_id = c.consent_id
   where c.account_id = $1 and c.consent_id = $2 and c.state <> 'pending'`,
)

export type ReceiptKey = { readonly account: AccountId; readonly type: number; readonly subject: bigint }

export async function findReceipt(
  db: Queryable,
  { account, type, subject }: ReceiptKey,
): Promise<Receipt | null> {
  const [row] = await db.run(findReceiptStatement, [account, type, subject])
  return row ? (row.snapshot as Receipt) : null
}

export async function insertReceipt(
  db: Queryable,
  { account, type, subject }: ReceiptKey,
  { receipt, at }: { readonly receipt: Receipt; readonly at: Temporal.Instant },
): Promise<void> {
  await db.run(insertReceiptStatement, [account, type, subject, receipt, at])
}

export async function findVoidOf(
  db: Queryable,
  { account, payment }: { readonly account: AccountId; readonly payment: bigint },
): Promise<AttemptId | null> {
  const [row] = await db.run(findVoidStatement, [account, payment])
  return row ? attemptId(row.attempt_id) : null
}

export async function findConsentFacts(
  db: Queryable,
  { account, consent }: { readonly account: AccountId; readonly consent: bigint },
): Promise<{ readonly consent: ConsentFacts; readonly merchant: MerchantNumber } | null> {
  const [row] = await db.run(findConsentStatement, [account, consent])
  if (!row) return null
  const currency = row.currency as Currency
  const { period, payments, payment_minor: each, total_minor: total } = row
  const isPlanned = period !== null && each !== null && total !== null
  const money = (minor: bigint) => ({ minor, currency })
  const facts = {
    consentId: consent,
    isRecurring: row.kind === 'R' || row.kind === 'S',
    plan: isPlanned ? { period, payments, payment: money(each), total: money(total) } : null,
    isCancelled: row.state === 'cancelled',
    holderFirstName: row.holder_first_name,
    holderLastName: row.holder_last_name,
    lastFour: row.last_four,
    brand: row.brand as CardBrand,
    reference: row.customer_ref,
    service: row.service,
    startsOn: row.starts_on,
    endsOn: row.ends_on,
    limitPerCharge: money(row.limit_per_charge_minor),
    limitLifetime: money(row.limit_lifetime_minor),
    agreement: row.agreement,
    agreedAt: row.agreed_at,
  }
  return { consent: facts, merchant: merchantNumber(row.merchant_number) }
}
