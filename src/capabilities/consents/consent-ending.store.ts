import { accountId, type AccountId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import { arrayOf, date, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const listAccountsStatement = statement(
  'list_accounts_with_ending_consents',
  [date, date],
  { account_id: int8 },
  `select distinct account_id from consent
   where state = 'active' and not is_end_told and ends_on between $1 and $2`,
)

type Days = { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate }

export async function listAccountsWithEnds(db: Queryable, { from, to }: Days): Promise<readonly AccountId[]> {
  return (await db.run(listAccountsStatement, [from, to])).map((row) => accountId(row.account_id))
}

const listEndsStatement = statement(
  'list_ends_of_consents',
  [int8, date, date],
  { ends_on: date, time_zone: text },
  `select distinct c.ends_on, m.time_zone from consent c join merchant m using (account_id, merchant_number)
   where c.state = 'active' and not c.is_end_told and c.account_id = $1 and c.ends_on between $2 and $3
   order by c.ends_on`,
)

export type End = { readonly endsOn: Temporal.PlainDate; readonly timeZone: string }

export async function listEnds(
  db: Queryable,
  { account, from, to }: Days & { readonly account: AccountId },
): Promise<readonly End[]> {
  const rows = await db.run(listEndsStatement, [account, from, to])
  return rows.map((row) => ({ endsOn: row.ends_on, timeZone: row.time_zone }))
}

// By the calendar of each record, as everywhere else: PostgreSQL takes CET and EET for zones without summer
// time. One that is over already is not told of any more.
const takeEndingStatement = statement(
  'take_ending_consents',
  [int8, arrayOf(int4), arrayOf(date), int4, date, date, int4],
  {
    consent_id: int8,
    merchant_number: int4,
    ends_on: date,
    time_zone: text,
    last_four: text,
    customer_ref: text,
    guid: text,
    changed_at: timestamptz,
  },
  `with due as (
     select c.consent_id, m.time_zone, v.last_four
     from consent c join merchant m using (account_id, merchant_number)
       join unnest($2::int4[], $3::date[]) as r (merchant_number, today) using (merchant_number)
       join vault_card v on v.card_id = c.card_id
     where c.state = 'active' and not c.is_end_told and c.account_id = $1 and c.ends_on between $5 and $6
       and c.ends_on between r.today and r.today + $4::integer
     order by c.ends_on, c.consent_id
     limit $7::integer
     for update of c skip locked)
   update consent c set is_end_told = true from due where c.consent_id = due.consent_id
   returning c.consent_id, c.merchant_number, c.ends_on, due.time_zone, due.last_four, c.customer_ref,
     c.guid, c.changed_at`,
)

export type EndingConsent = End & {
  readonly consentId: bigint
  readonly merchantNumber: MerchantNumber
  readonly lastFour: string
  readonly customerRef: string
  readonly guid: string
  readonly changedAt: Temporal.Instant
}

type Taking = Days & {
  readonly account: AccountId
  // What day it is at each merchant record.
  readonly todays: readonly { readonly merchant: MerchantNumber; readonly today: Temporal.PlainDate }[]
  readonly daysBefore: number
  readonly most: number
}

export async function takeEnding(
  tx: Tx,
  { account, todays, daysBefore, from, to, most }: Taking,
): Promise<readonly EndingConsent[]> {
  const [records, dates] = [todays.map(({ merchant }) => merchant), todays.map(({ today }) => today)]
  const rows = await tx.run(takeEndingStatement, [account, records, dates, daysBefore, from, to, most])
  return rows.map((row) => ({
    consentId: row.consent_id,
    merchantNumber: merchantNumber(row.merchant_number),
    endsOn: row.ends_on,
    timeZone: row.time_zone,
    lastFour: row.last_four,
    customerRef: row.customer_ref,
    guid: row.guid,
    changedAt: row.changed_at,
  }))
}
