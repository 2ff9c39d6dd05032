import type { ConsentId } from '#capabilities/consents/consent.ts'
import type { Instalment, InstalmentId, InstalmentState, PlanId } from '#capabilities/recurring/instalment.ts'
import type { Period } from '#capabilities/recurring/period.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber } from '#kernel/ids.ts'
import { arrayOf, bool, date, int4, int8, nullable, text } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

export const instalmentColumns = {
  instalment_id: int8,
  plan_id: int8,
  consent_id: int8,
  account_id: int8,
  merchant_number: int4,
  payment_number: int4,
  state: text,
  due_on: date,
  attempt_on: date,
  collect_on: date,
  amount_minor: int8,
  currency: text,
  attempts: int4,
  tries: int4,
  is_final_failure: bool,
  is_plan_active: bool,
  because: text,
  attempt_id: nullable(int8),
  period: text,
  payments: nullable(int4),
  total_minor: int8,
  guid: text,
  holder_last_name: text,
  last_four: text,
  brand: text,
} as const

export const instalmentSelection = `select i.instalment_id, i.plan_id, i.consent_id, i.account_id,
     i.merchant_number, i.payment_number, i.state, i.due_on, i.attempt_on, i.collect_on, i.amount_minor,
     i.currency, i.attempts, i.tries, i.is_final_failure, p.state = 'active' as is_plan_active, i.because,
     a.attempt_id, p.period, p.payments, p.total_minor, c.guid, c.holder_last_name, v.last_four, v.brand
   from instalment i
   join plan p using (plan_id)
   join consent c on c.consent_id = i.consent_id
   join vault_card v on v.card_id = c.card_id
   left join attempt a on a.acquirer_ref = i.attempt_ref`

const findInstalmentsStatement = statement(
  'find_instalments',
  [int8, arrayOf(int8)],
  instalmentColumns,
  `${instalmentSelection}
   where i.account_id = $1 and i.instalment_id = any($2)
   order by i.instalment_id`,
)

const lockInstalmentStatement = statement(
  'lock_instalment',
  [int8, int8],
  instalmentColumns,
  `${instalmentSelection}
   where i.account_id = $1 and i.instalment_id = $2
   for update of i`,
)

const listInstalmentsStatement = statement(
  'list_instalments_of_plan',
  [int8],
  instalmentColumns,
  `${instalmentSelection}
   where i.plan_id = $1 order by i.payment_number`,
)

const progressStatement = statement(
  'read_progress_of_plan',
  [int8],
  { written: int4, open: int4 },
  `select coalesce(max(payment_number), 0) as written,
     count(*) filter (where state in ('scheduled', 'charging'))::int4 as open
   from instalment where plan_id = $1`,
)

export async function readInstalments(
  db: Queryable,
  account: AccountId,
  instalments: readonly InstalmentId[],
): Promise<readonly Instalment[]> {
  return (await db.run(findInstalmentsStatement, [account, instalments])).map(instalmentFromRow)
}

// Whoever is about to charge it waits until the transaction is over.
export async function lockInstalment(
  tx: Tx,
  account: AccountId,
  instalment: InstalmentId,
): Promise<Instalment | null> {
  const [row] = await tx.run(lockInstalmentStatement, [account, instalment])
  return row ? instalmentFromRow(row) : null
}

export async function listInstalments(db: Queryable, planId: PlanId): Promise<readonly Instalment[]> {
  return (await db.run(listInstalmentsStatement, [planId])).map(instalmentFromRow)
}

// The highest number written, and how many payments are still to come.
export async function readProgress(
  db: Queryable,
  planId: PlanId,
): Promise<{ readonly written: number; readonly open: number }> {
  const [row] = await db.run(progressStatement, [planId])
  return { written: row?.written ?? 0, open: row?.open ?? 0 }
}

export function instalmentFromRow(row: RowOf<typeof instalmentColumns>): Instalment {
  const currency = row.currency as Currency
  return {
    instalmentId: row.instalment_id as InstalmentId,
    planId: row.plan_id as PlanId,
    consentId: row.consent_id as ConsentId,
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    paymentNumber: row.payment_number,
    state: row.state as InstalmentState,
    dueOn: row.due_on,
    attemptOn: row.attempt_on,
    collectOn: row.collect_on,
    amount: { minor: row.amount_minor, currency },
    attempts: row.attempts,
    tries: row.tries,
    isFinalFailure: row.is_final_failure,
    isPlanActive: row.is_plan_active,
    because: row.because,
    attemptId: row.attempt_id === null ? null : attemptId(row.attempt_id),
    period: row.period as Period,
    payments: row.payments,
    total: { minor: row.total_minor, currency },
    guid: row.guid,
    holderLastName: row.holder_last_name,
    lastFour: row.last_four,
    brand: row.brand as CardBrand,
  }
}

const countPlansStatement = statement(
  'count_plans_that_go_on',
  [int8],
  { plans: int8 },
  `select count(distinct plan_id) as plans from instalment
   where account_id = $1 and state = 'scheduled'`,
)

export async function countPlansThatGoOn(db: Queryable, account: AccountId): Promise<bigint> {
  const [row] = await db.run(countPlansStatement, [account])
  return row?.plans ?? 0n
}
