import type { ConsentFacts, ConsentLimits } from '#capabilities/receipts/consent-receipt.ts'
import type { PlanFacts, PlanPayment } from '#capabilities/receipts/plan-rows.ts'
import type { Receipt } from '#capabilities/receipts/receipt.ts'
import type { InstalmentState } from '#capabilities/recurring/instalment.ts'
import type { Period } from '#capabilities/recurring/period.ts'
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
    agreed_ends_on: nullable(date),
    agreed_per_charge_minor: nullable(int8),
    agreed_lifetime_minor: nullable(int8),
    agreement: text,
    agreed_at: timestamptz,
  },
  `select c.merchant_number, c.kind, c.state, c.currency, c.holder_first_name, c.holder_last_name,
     coalesce(v.last_four, '') as last_four, coalesce(v.brand, '') as brand, c.customer_ref, c.service,
     c.starts_on, c.ends_on, c.limit_per_charge_minor, c.limit_lifetime_minor, c.agreed_ends_on,
     c.agreed_per_charge_minor, c.agreed_lifetime_minor, c.agreement, c.agreed_at
   from consent c left join vault_card v on v.card_id = c.card_id
   where c.account_id = $1 and c.consent_id = $2 and c.state in ('active', 'cancelled')`,
)

const findPlanStatement = statement(
  'find_plan_for_receipt',
  [int8, int8],
  {
    plan_id: int8,
    state: text,
    period: text,
    starts_on: date,
    payments: nullable(int4),
    currency: text,
    agreed_minor: int8,
    payment_minor: int8,
  },
  `select plan_id, state, period, starts_on, payments, currency, agreed_minor, payment_minor
   from plan where account_id = $1 and consent_id = $2`,
)

const listPlanPaymentsStatement = statement(
  'list_payments_for_receipt',
  [int8],
  { state: text, amount_minor: int8, approved_minor: int8 },
  `select i.state, i.amount_minor,
     case when a.status = 'void' then 0 else coalesce(a.approved_minor, 0) end as approved_minor
   from instalment i left join attempt a on a.acquirer_ref = i.attempt_ref
   where i.plan_id = $1 order by i.payment_number`,
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

type ConsentKey = { readonly account: AccountId; readonly consent: bigint }

export async function findConsentFacts(
  db: Queryable,
  { account, consent }: ConsentKey,
): Promise<{ readonly consent: ConsentFacts; readonly merchant: MerchantNumber } | null> {
  const [row] = await db.run(findConsentStatement, [account, consent])
  if (!row) return null
  const currency = row.currency as Currency
  const isRecurring = row.kind === 'R' || row.kind === 'S'
  const facts = {
    consentId: consent,
    isRecurring,
    plan: isRecurring ? await findPlanFacts(db, { account, consent }) : null,
    isCancelled: row.state === 'cancelled',
    holderFirstName: row.holder_first_name,
    holderLastName: row.holder_last_name,
    lastFour: row.last_four,
    brand: row.brand as CardBrand,
    reference: row.customer_ref,
    service: row.service,
    startsOn: row.starts_on,
    agreed: agreedLimits(row, currency),
    limits: {
      endsOn: row.ends_on,
      perCharge: { minor: row.limit_per_charge_minor, currency },
      lifetime: { minor: row.limit_lifetime_minor, currency },
    },
    agreement: row.agreement,
    agreedAt: row.agreed_at,
  }
  return { consent: facts, merchant: merchantNumber(row.merchant_number) }
}

type AgreedRow = {
  readonly agreed_ends_on: Temporal.PlainDate | null
  readonly agreed_per_charge_minor: bigint | null
  readonly agreed_lifetime_minor: bigint | null
}

function agreedLimits(
  { agreed_ends_on: endsOn, agreed_per_charge_minor: perCharge, agreed_lifetime_minor: lifetime }: AgreedRow,
  currency: Currency,
): ConsentLimits | null {
  if (endsOn === null || perCharge === null || lifetime === null) return null
  return { endsOn, perCharge: { minor: perCharge, currency }, lifetime: { minor: lifetime, currency } }
}

async function findPlanFacts(db: Queryable, { account, consent }: ConsentKey): Promise<PlanFacts | null> {
  const [row] = await db.run(findPlanStatement, [account, consent])
  if (!row) return null
  const currency = row.currency as Currency
  const payments = await db.run(listPlanPaymentsStatement, [row.plan_id])
  return {
    terms: {
      period: row.period as Period,
      startsOn: row.starts_on,
      payments: row.payments,
      total: { minor: row.agreed_minor, currency },
    },
    payment: { minor: row.payment_minor, currency },
    isStopped: row.state !== 'active',
    payments: payments.map((one): PlanPayment => ({
      state: one.state as InstalmentState,
      minor: one.amount_minor,
      approvedMinor: one.approved_minor,
    })),
  }
}
