import type { SettlementPlan } from '#capabilities/settlement/settlement-plan.ts'
import { accountId, type AccountId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import { bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const listPlansStatement = statement(
  'list_settlement_plans',
  [int8],
  {
    account_id: int8,
    merchant_number: int4,
    is_automatic: bool,
    closes_at: text,
    next_close_at: nullable(timestamptz),
    settled_below: int8,
  },
  `select account_id, merchant_number, is_automatic, closes_at, next_close_at, settled_below
   from settlement_plan where account_id = $1 order by merchant_number`,
)

const setPlanStatement = statement(
  'set_settlement_plan',
  [int8, int4, bool, text],
  {},
  `insert into settlement_plan (account_id, merchant_number, is_automatic, closes_at) values ($1, $2, $3, $4)
   on conflict (account_id, merchant_number) do update
     set is_automatic = excluded.is_automatic, closes_at = excluded.closes_at, next_close_at = null`,
)

const setNextCloseStatement = statement(
  'set_next_close',
  [int8, int4, timestamptz],
  {},
  `insert into settlement_plan (account_id, merchant_number, next_close_at) values ($1, $2, $3)
   on conflict (account_id, merchant_number) do update set next_close_at = excluded.next_close_at`,
)

const hastenCloseStatement = statement(
  'hasten_next_close',
  [int8, int4, timestamptz],
  {},
  `update settlement_plan set next_close_at = $3
   where account_id = $1 and merchant_number = $2 and next_close_at > $3`,
)

const raiseSettledStatement = statement(
  'raise_settled_below',
  [int8, int4, int8],
  {},
  `insert into settlement_plan (account_id, merchant_number, settled_below) values ($1, $2, $3)
   on conflict (account_id, merchant_number) do update
     set settled_below = greatest(settlement_plan.settled_below, excluded.settled_below)`,
)

// What is given back lies below it.
const lowerSettledStatement = statement(
  'lower_settled_below',
  [int8, int4, int8],
  {},
  `update settlement_plan set settled_below = least(settled_below, $3)
   where account_id = $1 and merchant_number = $2`,
)

// Every domestic record has a plan. One whose next close is not known has not been looked at, so it is due.
const listDueStatement = statement(
  'list_accounts_with_due_close',
  [timestamptz],
  { account_id: int8 },
  `select distinct s.account_id
   from settlement_plan s join merchant m using (account_id, merchant_number)
   where s.is_automatic and (s.next_close_at is null or s.next_close_at <= $1) and not m.is_international`,
)

export type StoredPlan = SettlementPlan & {
  readonly merchantNumber: MerchantNumber
  readonly nextCloseAt: Temporal.Instant | null
  readonly settledBelow: bigint
}

export async function listStoredPlans(db: Queryable, account: AccountId): Promise<readonly StoredPlan[]> {
  const rows = await db.run(listPlansStatement, [account])
  return rows.map((row) => ({
    merchantNumber: merchantNumber(row.merchant_number),
    isAutomatic: row.is_automatic,
    closesAt: row.closes_at,
    nextCloseAt: row.next_close_at,
    settledBelow: row.settled_below,
  }))
}

type RecordKey = { readonly accountId: AccountId; readonly merchantNumber: MerchantNumber }

export async function setPlan(
  db: Queryable,
  { accountId: account, merchantNumber: merchant }: RecordKey,
  { isAutomatic, closesAt }: SettlementPlan,
): Promise<void> {
  await db.run(setPlanStatement, [account, merchant, isAutomatic, closesAt])
}

export async function setNextClose(
  db: Queryable,
  { accountId: account, merchantNumber: merchant }: RecordKey,
  at: Temporal.Instant,
): Promise<void> {
  await db.run(setNextCloseStatement, [account, merchant, at])
}

// At this moment at the latest.
export async function hastenNextClose(
  db: Queryable,
  { accountId: account, merchantNumber: merchant }: RecordKey,
  at: Temporal.Instant,
): Promise<void> {
  await db.run(hastenCloseStatement, [account, merchant, at])
}

export async function raiseSettledBelow(
  db: Queryable,
  { accountId: account, merchantNumber: merchant }: RecordKey,
  id: bigint,
): Promise<void> {
  await db.run(raiseSettledStatement, [account, merchant, id])
}

export async function lowerSettledBelow(
  db: Queryable,
  { accountId: account, merchantNumber: merchant }: RecordKey,
  id: bigint,
): Promise<void> {
  await db.run(lowerSettledStatement, [account, merchant, id])
}

export async function listAccountsDue(db: Queryable, at: Temporal.Instant): Promise<readonly AccountId[]> {
  return (await db.run(listDueStatement, [at])).map((row) => accountId(row.account_id))
}
