import { accountId, type AccountId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import { arrayOf, date, int4, int8, nullable } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

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
     join account a on a.account_id = $1 and a.state = 'open'`,
)

const nextAnnouncementsStatement = statement(
  'list_next_announcements',
  [int8, arrayOf(int4), arrayOf(date)],
  { merchant_number: int4, day: nullable(date) },
  `select r.merchant_number, (
     select min(i.announce_on) from instalment i
     where i.account_id = $1 and i.merchant_number = r.merchant_number and i.announce_on > r.after_day) as day
   from unnest($2::int4[], $3::date[]) as r (merchant_number, after_day)
     join account a on a.account_id = $1 and a.state = 'open'`,
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
