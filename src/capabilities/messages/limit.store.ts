import type { MessageLimits, SentBefore } from '#capabilities/messages/limits.ts'
import type { NewMessage } from '#capabilities/messages/message.ts'
import { assert } from '#kernel/assert.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const lockAccountStatement = statement(
  'lock_account_of_messages',
  [int8],
  {},
  `select from account where account_id = $1 for no key update`,
)

const limitColumns = {
  per_hour: int4,
  per_day: int4,
  per_recipient_hour: int4,
  per_recipient_day: int4,
  countries: text,
}

const findLimitsStatement = statement(
  'find_message_limits',
  [int8],
  limitColumns,
  `select per_hour, per_day, per_recipient_hour, per_recipient_day, countries
   from message_limit where account_id = $1`,
)

// Null where nobody has set any.
export async function findLimits(db: Queryable, account: AccountId): Promise<MessageLimits | null> {
  const [row] = await db.run(findLimitsStatement, [account])
  if (!row) return null
  return {
    perHour: row.per_hour,
    perDay: row.per_day,
    perRecipientHour: row.per_recipient_hour,
    perRecipientDay: row.per_recipient_day,
    countries: row.countries.split(' ').filter((code) => code !== ''),
  }
}

const setLimitsStatement = statement(
  'set_message_limits',
  [int8, int4, int4, int4, int4, text, timestamptz],
  {},
  `insert into message_limit
     (account_id, per_hour, per_day, per_recipient_hour, per_recipient_day, countries, changed_at)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (account_id) do update set
     per_hour = excluded.per_hour, per_day = excluded.per_day,
     per_recipient_hour = excluded.per_recipient_hour, per_recipient_day = excluded.per_recipient_day,
     countries = excluded.countries, changed_at = excluded.changed_at`,
)

type SetLimits = {
  readonly accountId: AccountId
  readonly limits: MessageLimits
  readonly at: Temporal.Instant
}

export async function setLimits(db: Queryable, { accountId, limits, at }: SetLimits): Promise<void> {
  await db.run(setLimitsStatement, [
    accountId,
    limits.perHour,
    limits.perDay,
    limits.perRecipientHour,
    limits.perRecipientDay,
    limits.countries.join(' '),
    at,
  ])
}

const findRegionStatement = statement(
  'find_region_of_messages',
  [int8, int4],
  { region: text },
  `select region from merchant where account_id = $1 and merchant_number = $2`,
)

type Record = { readonly accountId: AccountId; readonly merchantNumber: MerchantNumber }
type Found = { readonly limits: MessageLimits | null; readonly region: string }

export async function lockAccountOfMessages(tx: Tx, record: Record): Promise<Found> {
  await tx.run(lockAccountStatement, [record.accountId])
  const [row] = await tx.run(findRegionStatement, [record.accountId, record.merchantNumber])
  assert(row, 'a message is sent for a merchant record that exists')
  return { limits: await findLimits(tx, record.accountId), region: row.region }
}

const countSentStatement = statement(
  'count_messages_sent_before',
  [int8, text, timestamptz, timestamptz],
  { in_hour: int4, in_day: int4 },
  `select count(*) filter (where created_at > $3)::int4 as in_hour, count(*)::int4 as in_day
   from message
   where account_id = $1 and created_at > $4 and purpose <> 'reply'
     and (purpose = 'receipt') = ($2 = 'receipt')`,
)

// Other accounts by our clock: what one that lives in the future has sent there is not counted.
const countToRecipientStatement = statement(
  'count_messages_sent_to_recipient',
  [int8, text, text, timestamptz, timestamptz, timestamptz],
  { in_hour: int4, in_day: int4, in_hour_by_all: int4, in_day_by_all: int4 },
  `select count(*) filter (where account_id = $1 and created_at > $4)::int4 as in_hour,
     count(*) filter (where account_id = $1)::int4 as in_day,
     count(*) filter (where created_at > $4)::int4 as in_hour_by_all, count(*)::int4 as in_day_by_all
   from message
   where lower(recipient) = lower($2) and created_at > $5 and (account_id = $1 or created_at <= $6)
     and purpose <> 'reply' and (purpose = 'receipt') = ($3 = 'receipt')`,
)

// Receipts and everything else are counted apart, and our answers to STOP and HELP not at all. A mailbox is
// the same one however its address is spelled.
export async function countSentBefore(
  tx: Tx,
  { accountId, recipient, purpose, at }: NewMessage,
): Promise<SentBefore> {
  const hourAgo = at.subtract({ hours: 1 })
  const dayAgo = at.subtract({ hours: 24 })
  const [sent] = await tx.run(countSentStatement, [accountId, purpose, hourAgo, dayAgo])
  const sought = [accountId, recipient, purpose, hourAgo, dayAgo, at] as const
  const [toRecipient] = await tx.run(countToRecipientStatement, sought)
  assert(sent && toRecipient, 'a count answers a row')
  return {
    inHour: sent.in_hour,
    inDay: sent.in_day,
    toRecipientInHour: toRecipient.in_hour,
    toRecipientInDay: toRecipient.in_day,
    toRecipientInHourByAll: toRecipient.in_hour_by_all,
    toRecipientInDayByAll: toRecipient.in_day_by_all,
  }
}

const isStoppedStatement = statement(
  'is_phone_stopped',
  [text],
  { phone: text },
  `select phone from stopped_phone where phone = $1`,
)

export async function isStopped(db: Queryable, phone: string): Promise<boolean> {
  return (await db.run(isStoppedStatement, [phone])).length > 0
}
