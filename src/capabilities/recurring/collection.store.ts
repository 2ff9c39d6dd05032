import type { ConsentId } from '#capabilities/consents/consent.ts'
import type { InstalmentId, PlanId } from '#capabilities/recurring/instalment.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'
import { arrayOf, date, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// While an account is locked nothing of it is charged or announced, and once it is closed nothing ever is.
// Other work may be due of it, so whoever takes what is due asks as well. With the account as $1.
export const isAccountOpen = `exists (select 1 from account where account_id = $1 and state = 'open')`

const accountsToCollectStatement = statement(
  'list_accounts_to_collect',
  [date],
  { account_id: int8 },
  `select distinct i.account_id
   from instalment i join merchant m using (account_id, merchant_number) join account a using (account_id)
   where i.state = 'scheduled' and i.collect_on <= $1 and m.collects_automatically and a.state = 'open'`,
)

const accountsToAnnounceStatement = statement(
  'list_accounts_to_announce',
  [date],
  { account_id: int8 },
  `select distinct account_id from instalment join account a using (account_id)
   where announce_on <= $1 and a.state = 'open'`,
)

// The first day after each record's own on which something of it is to be collected.
const nextCollectionsStatement = statement(
  'list_next_collections',
  [int8, arrayOf(int4), arrayOf(date)],
  { merchant_number: int4, day: nullable(date) },
  `select r.merchant_number, (
     select min(i.collect_on) from instalment i
     where i.state = 'scheduled' and i.account_id = $1 and i.merchant_number = r.merchant_number
       and i.collect_on > r.after_day) as day
   from unnest($2::int4[], $3::date[]) as r (merchant_number, after_day)
   where ${isAccountOpen}`,
)

const nextAnnouncementsStatement = statement(
  'list_next_announcements',
  [int8, arrayOf(int4), arrayOf(date)],
  { merchant_number: int4, day: nullable(date) },
  `select r.merchant_number, (
     select min(i.announce_on) from instalment i
     where i.account_id = $1 and i.merchant_number = r.merchant_number and i.announce_on > r.after_day) as day
   from unnest($2::int4[], $3::date[]) as r (merchant_number, after_day)
   where ${isAccountOpen}`,
)

const takeAnnouncementsStatement = statement(
  'take_announcements',
  [int8, int4, date, int4],
  {
    instalment_id: int8,
    plan_id: int8,
    consent_id: int8,
    payment_number: int4,
    due_on: date,
    announce_on: date,
    amount_minor: int8,
    currency: text,
    changed_at: timestamptz,
  },
  `with due as (
     select instalment_id, announce_on from instalment
     where account_id = $1 and merchant_number = $2 and announce_on <= $3 and ${isAccountOpen}
     order by announce_on, instalment_id limit $4::int4 for update skip locked
   )
   update instalment i set announce_on = null from due
   where i.instalment_id = due.instalment_id and i.state = 'scheduled'
   returning i.instalment_id, i.plan_id, i.consent_id, i.payment_number, i.due_on, due.announce_on,
     i.amount_minor, i.currency, i.changed_at`,
)

export async function listAccountsToCollect(
  db: Queryable,
  until: Temporal.PlainDate,
): Promise<readonly AccountId[]> {
  return (await db.run(accountsToCollectStatement, [until])).map((row) => accountId(row.account_id))
}

export async function listAccountsToAnnounce(
  db: Queryable,
  until: Temporal.PlainDate,
): Promise<readonly AccountId[]> {
  return (await db.run(accountsToAnnounceStatement, [until])).map((row) => accountId(row.account_id))
}

export type RecordDay = { readonly merchant: MerchantNumber; readonly day: Temporal.PlainDate }

export async function listNextCollections(
  db: Queryable,
  account: AccountId,
  after: readonly RecordDay[],
): Promise<readonly RecordDay[]> {
  return recordDays(await db.run(nextCollectionsStatement, askAfter(account, after)))
}

export async function listNextAnnouncements(
  db: Queryable,
  account: AccountId,
  after: readonly RecordDay[],
): Promise<readonly RecordDay[]> {
  return recordDays(await db.run(nextAnnouncementsStatement, askAfter(account, after)))
}

function askAfter(account: AccountId, after: readonly RecordDay[]) {
  return [account, after.map(({ merchant }) => merchant), after.map(({ day }) => day)] as const
}

type DayRow = { readonly merchant_number: number; readonly day: Temporal.PlainDate | null }

function recordDays(rows: readonly DayRow[]): readonly RecordDay[] {
  return rows.flatMap(({ merchant_number, day }) =>
    day === null ? [] : [{ merchant: merchantNumber(merchant_number), day }],
  )
}

export type Announcement = {
  readonly instalmentId: InstalmentId
  readonly planId: PlanId
  readonly consentId: ConsentId
  readonly paymentNumber: number
  readonly dueOn: Temporal.PlainDate
  readonly announceOn: Temporal.PlainDate
  readonly amount: Money
  // When it was last made or moved, which may be after the time of day at which others are announced.
  readonly scheduledAt: Temporal.Instant
}

type Announcing = RecordDay & { readonly accountId: AccountId; readonly most: number }

// Each is announced once: whoever takes it tells it in the same transaction.
export async function takeAnnouncements(
  tx: Tx,
  { accountId: account, merchant, day, most }: Announcing,
): Promise<readonly Announcement[]> {
  const rows = await tx.run(takeAnnouncementsStatement, [account, merchant, day, most])
  return rows.map((row) => ({
    instalmentId: row.instalment_id as InstalmentId,
    planId: row.plan_id as PlanId,
    consentId: row.consent_id as ConsentId,
    paymentNumber: row.payment_number,
    dueOn: row.due_on,
    announceOn: row.announce_on,
    amount: { minor: row.amount_minor, currency: row.currency as Currency },
    scheduledAt: row.changed_at,
  }))
}
