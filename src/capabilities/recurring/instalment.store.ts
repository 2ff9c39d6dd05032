import type { ConsentId } from '#capabilities/consents/consent.ts'
import type { Instalment, InstalmentId, InstalmentState, PlanId } from '#capabilities/recurring/instalment.ts'
import type { PlannedPayment } from '#capabilities/recurring/payment-plan.ts'
import type { Period } from '#capabilities/recurring/period.ts'
import type { Plan } from '#capabilities/recurring/plan.ts'
import type { Scheduling } from '#capabilities/recurring/scheduling.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
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

const instalmentColumns = {
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

const instalmentSelection = `select i.instalment_id, i.plan_id, i.consent_id, i.account_id, i.merchant_number,
     i.payment_number, i.state, i.due_on, i.attempt_on, i.collect_on, i.amount_minor, i.currency, i.attempts,
     i.tries, i.is_final_failure, p.state = 'active' as is_plan_active, i.because, a.attempt_id, p.period,
     p.payments, p.total_minor, c.guid, c.holder_last_name, v.last_four, v.brand
   from instalment i
   join plan p using (plan_id)
   join consent c on c.consent_id = i.consent_id
   join vault_card v on v.card_id = c.card_id
   left join attempt a on a.acquirer_ref = i.attempt_ref`

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
    timestamptz,
  ],
  { instalment_id: int8 },
  `insert into instalment (plan_id, account_id, merchant_number, consent_id, payment_number, due_on,
     attempt_on, collect_on, announce_on, amount_minor, currency, because, state, created_at, changed_at)
   select i.*, 'scheduled', $13, $13
   from unnest($1::int8[], $2::int8[], $3::int4[], $4::int8[], $5::int4[], $6::date[], $7::date[],
     $8::date[], $9::date[], $10::int8[], $11::text[], $12::text[]) as i
   on conflict (plan_id, payment_number) do nothing
   returning instalment_id`,
)

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

// In the order of their days, and from where the last portion ended. Two runs at once claim different ones,
// so that neither prepares what the other charges.
const claimDueStatement = statement(
  'claim_due_instalments',
  [int8, int4, date, nullable(date), date, int8, int4, timestamptz, timestamptz],
  instalmentColumns,
  `with due as (
     select instalment_id from instalment
     where account_id = $1 and merchant_number = $2 and state = 'scheduled' and attempt_on <= $3
       and ($4::date is null or collect_on <= $4) and (attempt_on, instalment_id) > ($5, $6)
       and (claimed_until is null or claimed_until <= $8)
     order by attempt_on, instalment_id limit $7::int4 for update skip locked
   ), claimed as (
     update instalment i set claimed_until = $9 from due where i.instalment_id = due.instalment_id
     returning i.instalment_id
   )
   ${instalmentSelection}
   where i.instalment_id in (select instalment_id from claimed)
   order by i.attempt_on, i.instalment_id`,
)

const claimNamedStatement = statement(
  'claim_named_instalments',
  [int8, arrayOf(int8), timestamptz, timestamptz],
  instalmentColumns,
  `with named as (
     select instalment_id from instalment
     where account_id = $1 and instalment_id = any($2) and (claimed_until is null or claimed_until <= $3)
     order by instalment_id for update skip locked
   ), claimed as (
     update instalment i set claimed_until = $4 from named where i.instalment_id = named.instalment_id
     returning i.instalment_id
   )
   ${instalmentSelection}
   where i.instalment_id in (select instalment_id from claimed)
   order by i.instalment_id`,
)

const progressStatement = statement(
  'read_progress_of_plan',
  [int8],
  { written: int4, open: int4 },
  `select coalesce(max(payment_number), 0) as written,
     count(*) filter (where state in ('scheduled', 'charging'))::int4 as open
   from instalment where plan_id = $1`,
)

const releaseClaimsStatement = statement(
  'release_claims_of_instalments',
  [arrayOf(int8), timestamptz],
  {},
  `update instalment set claimed_until = null where instalment_id = any($1) and claimed_until = $2`,
)

export type NewInstalment = Omit<PlannedPayment, 'remaining'> &
  Scheduling & { readonly plan: Omit<Plan, 'state'>; readonly because: string }

// What is written already stays as it is.
export async function insertInstalments(
  tx: Tx,
  made: readonly NewInstalment[],
  at: Temporal.Instant,
): Promise<readonly InstalmentId[]> {
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
    at,
  ])
  return rows.map((row) => row.instalment_id as InstalmentId)
}

export async function findInstalments(
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

export type DueQuestion = {
  readonly accountId: AccountId
  readonly merchant: MerchantNumber
  readonly on: Temporal.PlainDate
  // For an automatic run: the day of it.
  readonly collectedOn: Temporal.PlainDate | null
}

// By real time: from now until when others leave them alone.
export type Claim = { readonly from: Temporal.Instant; readonly until: Temporal.Instant }

type Portion = Claim & {
  readonly most: number
  // Where the last portion ended.
  readonly after: Pick<Instalment, 'attemptOn' | 'instalmentId'> | null
}

export async function claimDue(
  db: Queryable,
  { accountId: account, merchant, on, collectedOn }: DueQuestion,
  { after, most, from, until }: Portion,
): Promise<readonly Instalment[]> {
  const day = after?.attemptOn ?? Temporal.PlainDate.from('0001-01-01')
  const id = after?.instalmentId ?? 0n
  const asked = [account, merchant, on, collectedOn, day, id, most, from, until] as const
  return (await db.run(claimDueStatement, asked)).map(instalmentFromRow)
}

export async function claimNamed(
  db: Queryable,
  { accountId: account, instalments }: { accountId: AccountId; instalments: readonly InstalmentId[] },
  { from, until }: Claim,
): Promise<readonly Instalment[]> {
  return (await db.run(claimNamedStatement, [account, instalments, from, until])).map(instalmentFromRow)
}

// Only those that nobody has claimed anew.
export async function releaseClaims(
  db: Queryable,
  instalments: readonly InstalmentId[],
  until: Temporal.Instant,
): Promise<void> {
  await db.run(releaseClaimsStatement, [instalments, until])
}

function instalmentFromRow(row: RowOf<typeof instalmentColumns>): Instalment {
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
