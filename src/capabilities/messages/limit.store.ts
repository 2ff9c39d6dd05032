import type { MessageLimits, SentBefore } from '#capabilities/messages/limits.ts'
import type { NewMessage } from '#capabilities/messages/message.ts'
import { assert } from '#kernel/assert.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const lockAccountStatement = statement(
  'lock_account_of_messages',
  [int8],
  {},
  `select from account where account_id = $1 for no key update`,
)

const findLimitsStatement = statement(
  'find_message_limits',
  [int8, int4],
  {
    region: text,
    per_hour: nullable(int4),
    per_day: nullable(int4),
    per_recipient_hour: nullable(int4),
    per_recipient_day: nullable(int4),
    countries: nullable(text),
  },
  `select m.region, l.per_hour, l.per_day, l.per_recipient_hour, l.per_recipient_day, l.countries
   from merchant m left join message_limit l using (account_id)
   where m.account_id = $1 and m.merchant_number = $2`,
)

type Record = { readonly accountId: AccountId; readonly merchantNumber: MerchantNumber }
// Null where nobody has set any.
type Found = { readonly limits: MessageLimits | null; readonly region: string }

export async function lockAccountOfMessages(tx: Tx, record: Record): Promise<Found> {
  await tx.run(lockAccountStatement, [record.accountId])
  const [row] = await tx.run(findLimitsStatement, [record.accountId, record.merchantNumber])
  assert(row, 'a message is sent for a merchant record that exists')
  const { region, countries } = row
  if (countries === null) return { limits: null, region }
  return {
    region,
    limits: {
      perHour: row.per_hour ?? 0,
      perDay: row.per_day ?? 0,
      perRecipientHour: row.per_recipient_hour ?? 0,
      perRecipientDay: row.per_recipient_day ?? 0,
      countries: countries.split(' ').filter((code) => code !== ''),
    },
  }
}

const countSentStatement = statement(
  'count_messages_sent_before',
  [int8, text, text, timestamptz, timestamptz],
  { in_hour: int4, in_day: int4, to_recipient_in_hour: int4, to_recipient_in_day: int4 },
  `select count(*) filter (where created_at > $4)::int4 as in_hour, count(*)::int4 as in_day,
     count(*) filter (where recipient = $2 and created_at > $4)::int4 as to_recipient_in_hour,
     count(*) filter (where recipient = $2)::int4 as to_recipient_in_day
   from message where account_id = $1 and created_at > $5 and (purpose = 'receipt') = ($3 = 'receipt')`,
)

// Receipts and everything else are counted apart.
export async function countSentBefore(
  tx: Tx,
  { accountId, recipient, purpose, at }: NewMessage,
): Promise<SentBefore> {
  const hourAgo = at.subtract({ hours: 1 })
  const dayAgo = at.subtract({ hours: 24 })
  const [row] = await tx.run(countSentStatement, [accountId, recipient, purpose, hourAgo, dayAgo])
  assert(row, 'a count answers a row')
  return {
    inHour: row.in_hour,
    inDay: row.in_day,
    toRecipientInHour: row.to_recipient_in_hour,
    toRecipientInDay: row.to_recipient_in_day,
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
