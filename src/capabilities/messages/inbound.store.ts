import type { MessageId } from '#capabilities/messages/message.ts'
import type { ReceivedText } from '#capabilities/messages/sender.ts'
import type { Word } from '#capabilities/messages/words.ts'
import { type AccountId, accountId, type MerchantNumber, merchantNumber } from '#kernel/ids.ts'
import { int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Tells the merchant why a text was not sent.
export const stoppedBecause = 'The recipient answered STOP'

const stopPhoneStatement = statement(
  'stop_phone',
  [text, timestamptz],
  { phone: text },
  `insert into stopped_phone (phone, stopped_at) values ($1, $2) on conflict (phone) do nothing
   returning phone`,
)

// Answers whether that changed anything.
export async function stopPhone(db: Queryable, phone: string, at: Temporal.Instant): Promise<boolean> {
  return (await db.run(stopPhoneStatement, [phone, at])).length > 0
}

const startPhoneStatement = statement(
  'start_phone',
  [text],
  { phone: text },
  `delete from stopped_phone where phone = $1 returning phone`,
)

export async function startPhone(db: Queryable, phone: string): Promise<boolean> {
  return (await db.run(startPhoneStatement, [phone])).length > 0
}

const endWaitingTextsStatement = statement(
  'end_waiting_texts_to',
  [text, text, timestamptz],
  {},
  `update message set
     unwanted_because = $2,
     state = case when claimed_until is null then 'dead' else state end,
     problem = case when claimed_until is null then $2 else problem end,
     finished_at = case when claimed_until is null then $3::timestamptz end
   where lower(recipient) = $1 and channel = 'text' and state = 'waiting' and purpose <> 'reply'`,
)

// What waits for a phone that wants nothing more is not sent; what a sender has in hand is not tried again.
export async function endWaitingTexts(tx: Tx, phone: string, at: Temporal.Instant): Promise<void> {
  await tx.run(endWaitingTextsStatement, [phone, stoppedBecause, at])
}

const insertInboundStatement = statement(
  'insert_inbound_text',
  [text, text, text, text, text, timestamptz],
  { inbound_text_id: int8 },
  `insert into inbound_text (phone, sender, sender_ref, body, word, received_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (sender, sender_ref) where sender_ref <> '' do nothing
   returning inbound_text_id`,
)

// Null when it was received before.
export async function insertInbound(
  tx: Tx,
  { phone, sender, ref, text: body }: ReceivedText,
  { word, at }: { readonly word: Word | null; readonly at: Temporal.Instant },
): Promise<bigint | null> {
  const [row] = await tx.run(insertInboundStatement, [phone, sender, ref, body, word ?? '', at])
  return row?.inbound_text_id ?? null
}

const setAnswerStatement = statement(
  'set_answer_of_inbound_text',
  [int8, int8],
  {},
  `update inbound_text set answer_id = $2 where inbound_text_id = $1`,
)

export async function setAnswer(tx: Tx, inbound: bigint, answer: MessageId): Promise<void> {
  await tx.run(setAnswerStatement, [inbound, answer])
}

const findCorrespondentStatement = statement(
  'find_correspondent_of_phone',
  [text],
  { account_id: int8, merchant_number: int4, name: text, phone: nullable(text) },
  `select m.account_id, m.merchant_number, r.name, s.phone
   from message m
     join merchant r using (account_id, merchant_number)
     left join form_setting s using (account_id, merchant_number)
   where lower(m.recipient) = $1 and m.channel = 'text' and m.purpose <> 'reply'
   order by m.message_id desc limit 1`,
)

export type Correspondent = {
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly name: string
  // Empty where the merchant has told none.
  readonly phone: string
}

// Who has texted this phone last; null when nobody has.
export async function findCorrespondent(db: Queryable, phone: string): Promise<Correspondent | null> {
  const [row] = await db.run(findCorrespondentStatement, [phone])
  if (!row) return null
  return {
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    name: row.name,
    phone: row.phone ?? '',
  }
}

const countAnsweredStatement = statement(
  'count_answered_texts',
  [text, timestamptz],
  { answered: int4 },
  `select count(*)::int4 as answered from inbound_text
   where phone = $1 and received_at > $2 and answer_id is not null`,
)

export async function countAnswered(db: Queryable, phone: string, since: Temporal.Instant): Promise<number> {
  const [row] = await db.run(countAnsweredStatement, [phone, since])
  return row?.answered ?? 0
}
