import type { ConsentId } from '#capabilities/consents/consent.ts'
import type { PlanId } from '#capabilities/recurring/instalment.ts'
import type { PlanTerms } from '#capabilities/recurring/payment-plan.ts'
import type { Period } from '#capabilities/recurring/period.ts'
import type { Plan, PlanPosting, PlanState } from '#capabilities/recurring/plan.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'
import {
  arrayOf,
  bool,
  date,
  int4,
  int8,
  nullable,
  text,
  timestamptz,
} from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const insertPlanStatement = statement(
  'insert_plan',
  [int8, int4, int8, text, text, date, nullable(int4), text, int8, int8, timestamptz, text, bool],
  { plan_id: int8 },
  `insert into plan (account_id, merchant_number, consent_id, state, period, starts_on, payments, currency,
     agreed_minor, total_minor, payment_minor, created_at, changed_at, post_url, post_ids_only)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $11, $12, $13)
   returning plan_id`,
)

const planColumns = {
  plan_id: int8,
  account_id: int8,
  merchant_number: int4,
  consent_id: int8,
  state: text,
  period: text,
  starts_on: date,
  payments: nullable(int4),
  currency: text,
  agreed_minor: int8,
  total_minor: int8,
  payment_minor: int8,
  because: text,
  post_url: text,
  post_ids_only: bool,
  limit_per_charge_minor: int8,
  time_zone: text,
  collects_at_minute: int4,
} as const

const planSelection = `select p.plan_id, p.account_id, p.merchant_number, p.consent_id, p.state, p.period,
     p.starts_on, p.payments, p.currency, p.agreed_minor, p.total_minor, p.payment_minor, p.because,
     p.post_url, p.post_ids_only, m.limit_per_charge_minor, m.time_zone, m.collects_at_minute
   from plan p join merchant m using (account_id, merchant_number)`

// By the primary key: joined with the pairs of accounts and plans, a new table without statistics is read
// once for each of them.
const lockPlansStatement = statement(
  'lock_plans',
  [arrayOf(int8), arrayOf(int8)],
  planColumns,
  `${planSelection}
   where p.plan_id = any($2) and p.account_id = any($1)
   order by p.plan_id for update of p`,
)

const findPlanStatement = statement(
  'find_plan_of_consent',
  [int8],
  planColumns,
  `${planSelection}
   where p.consent_id = $1 and p.state <> 'pending'`,
)

const activatePlansStatement = statement(
  'activate_plans',
  [arrayOf(int8), timestamptz],
  {},
  `update plan set state = 'active', changed_at = $2 where plan_id = any($1) and state = 'pending'`,
)

const removePlansStatement = statement(
  'remove_pending_plans',
  [arrayOf(int8)],
  {},
  `delete from plan where plan_id = any($1) and state = 'pending'`,
)

const removeAbandonedStatement = statement(
  'remove_abandoned_plans',
  [],
  { plan_id: int8 },
  `delete from plan p using consent c
   where c.consent_id = p.consent_id and p.state = 'pending' and c.state in ('cancelled', 'not_made')
   returning p.plan_id`,
)

const cancelPlansStatement = statement(
  'cancel_plans',
  [arrayOf(int8), arrayOf(text), timestamptz],
  { plan_id: int8 },
  `update plan p set state = 'cancelled', because = i.because, changed_at = $3
   from unnest($1::int8[], $2::text[]) as i (plan_id, because)
   where p.plan_id = i.plan_id and p.state = 'active'
   returning p.plan_id`,
)

const repricePlanStatement = statement(
  'reprice_plan',
  [int8, nullable(int8), timestamptz],
  {},
  `update plan p set payment_minor = coalesce($2, p.payment_minor), changed_at = $3,
     total_minor = case when p.payments is null then coalesce($2, p.total_minor) else (
       select coalesce(sum(i.amount_minor), 0)::int8 from instalment i where i.plan_id = p.plan_id) end
   where p.plan_id = $1`,
)

export type NewPlan = {
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly consentId: ConsentId
  readonly state: PlanState
  readonly terms: PlanTerms
  readonly payment: Money
  readonly posting: PlanPosting
  readonly at: Temporal.Instant
}

export async function insertPlan(tx: Tx, made: NewPlan): Promise<PlanId> {
  const { terms } = made
  const [row] = await tx.run(insertPlanStatement, [
    made.accountId,
    made.merchantNumber,
    made.consentId,
    made.state,
    terms.period,
    terms.startsOn,
    terms.payments,
    terms.total.currency,
    terms.total.minor,
    made.payment.minor,
    made.at,
    made.posting.url,
    made.posting.idsOnly,
  ])
  if (!row) throw new Error('Broken promise: what is inserted comes back')
  return row.plan_id as PlanId
}

type PlanKey = { readonly account: bigint; readonly plan: bigint }

// Whoever changes them meanwhile waits.
export async function lockPlans(tx: Tx, keys: readonly PlanKey[]): Promise<readonly Plan[]> {
  const rows = await tx.run(lockPlansStatement, [
    keys.map(({ account }) => account),
    keys.map(({ plan }) => plan),
  ])
  return rows.map(planFromRow)
}

// The plan of a consent, of whatever account: for whoever has found the consent, and for operators.
export async function findPlanOfConsent(db: Queryable, consentId: bigint): Promise<Plan | null> {
  const [row] = await db.run(findPlanStatement, [consentId])
  return row ? planFromRow(row) : null
}

export async function activatePlans(tx: Tx, plans: readonly bigint[], at: Temporal.Instant): Promise<void> {
  await tx.run(activatePlansStatement, [plans, at])
}

export async function removePendingPlans(tx: Tx, plans: readonly bigint[]): Promise<void> {
  await tx.run(removePlansStatement, [plans])
}

// Plans whose consent was given up before the issuer had said a word. Answers how many.
export async function removeAbandoned(db: Queryable): Promise<number> {
  return (await db.run(removeAbandonedStatement, [])).length
}

export type PlanEnd = { readonly planId: PlanId; readonly because: string }

// Answers the plans that were active until now.
export async function setPlansCancelled(
  tx: Tx,
  ends: readonly PlanEnd[],
  at: Temporal.Instant,
): Promise<ReadonlySet<bigint>> {
  const rows = await tx.run(cancelPlansStatement, [
    ends.map(({ planId }) => planId),
    ends.map(({ because }) => because),
    at,
  ])
  return new Set(rows.map((row) => row.plan_id))
}

// Sums the plan up again after its instalments were changed; a payment given is the usual one from now on.
export async function repricePlan(
  tx: Tx,
  { planId, payment, at }: { planId: PlanId; payment: Money | null; at: Temporal.Instant },
): Promise<void> {
  await tx.run(repricePlanStatement, [planId, payment?.minor ?? null, at])
}

function planFromRow(row: RowOf<typeof planColumns>): Plan {
  const currency = row.currency as Currency
  return {
    planId: row.plan_id as PlanId,
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    consentId: row.consent_id as ConsentId,
    state: row.state as PlanState,
    terms: {
      period: row.period as Period,
      startsOn: row.starts_on,
      payments: row.payments,
      total: { minor: row.agreed_minor, currency },
    },
    total: { minor: row.total_minor, currency },
    payment: { minor: row.payment_minor, currency },
    posting: { url: row.post_url, idsOnly: row.post_ids_only },
    paymentMax: { minor: row.limit_per_charge_minor, currency },
    because: row.because,
    time: { timeZone: row.time_zone, collectsAtMinute: row.collects_at_minute },
  }
}
