import type { Channel, MessageId, MessageState } from '#capabilities/messages/message.ts'
import type { OutgoingMessage, SenderName, SentPart } from '#capabilities/messages/sender.ts'
import { arrayOf, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const listDueChannelsStatement = statement(
  'list_due_message_channels',
  [timestamptz],
  { channel: text },
  `select l.channel from message_lane l
   where (l.paused_until is null or l.paused_until <= $1) and exists (
     select 1 from message m
     where m.channel = l.channel and m.state = 'waiting'
       and (m.next_try_at is null or m.next_try_at <= $1)
       and (m.claimed_until is null or m.claimed_until <= $1))
   order by l.channel`,
)

export async function listDueChannels(db: Queryable, now: Temporal.Instant): Promise<readonly Channel[]> {
  return (await db.run(listDueChannelsStatement, [now])).map(({ channel }) => channel as Channel)
}

const endAbandonedTextsStatement = statement(
  'end_abandoned_texts',
  [timestamptz, text],
  { message_id: int8 },
  `update message set state = 'unknown', problem = $2, claimed_until = null, finished_at = $1
   where channel = 'text' and state = 'waiting' and claimed_until <= $1
   returning message_id`,
)

const endAbandonedMailsStatement = statement(
  'end_abandoned_mails',
  [timestamptz],
  {},
  `update message set state = 'dead', problem = unwanted_because, claimed_until = null, finished_at = $1
   where channel = 'email' and state = 'waiting' and claimed_until <= $1 and unwanted_because <> ''`,
)

// Those that a node had in hand when it died and that nobody wants any more; all others are sent again.
export async function endAbandonedMails(db: Queryable, at: Temporal.Instant): Promise<void> {
  await db.run(endAbandonedMailsStatement, [at])
}

// Those that a node had in hand when it died.
export async function endAbandonedTexts(
  db: Queryable,
  { at, because }: { readonly at: Temporal.Instant; readonly because: string },
): Promise<readonly MessageId[]> {
  const rows = await db.run(endAbandonedTextsStatement, [at, because])
  return rows.map((row) => row.message_id as MessageId)
}

const claimMessageStatement = statement(
  'claim_message',
  [text, timestamptz, timestamptz, text],
  {
    message_id: int8,
    public_id: text,
    recipient: text,
    subject: text,
    body_text: text,
    body_html: nullable(text),
    from_name: text,
    parts_sent: int4,
    tries: int4,
    fence: int4,
  },
  `with due as (
     select message_id from message
     where channel = $1 and state = 'waiting' and (next_try_at is null or next_try_at <= $2)
       and (claimed_until is null or claimed_until <= $2)
     order by message_id
     limit 1
     for update skip locked)
   update message m set claimed_until = $3, fence = m.fence + 1, sender = $4
   from due, merchant r
   where m.message_id = due.message_id
     and r.account_id = m.account_id and r.merchant_number = m.merchant_number
   returning m.message_id, m.public_id, m.recipient, m.subject, m.body_text, m.body_html,
     r.name as from_name, m.parts_sent, m.tries, m.fence`,
)

export type ClaimedMessage = OutgoingMessage & {
  // That were not taken, before this one.
  readonly tries: number
  readonly fence: number
}

type Claim = {
  readonly channel: Channel
  readonly now: Temporal.Instant
  readonly until: Temporal.Instant
  readonly sender: SenderName
}

// The oldest one that is due.
export async function claimMessage(
  db: Queryable,
  { channel, now, until, sender }: Claim,
): Promise<ClaimedMessage | null> {
  const [row] = await db.run(claimMessageStatement, [channel, now, until, sender])
  if (!row) return null
  return {
    messageId: row.message_id as MessageId,
    publicId: row.public_id,
    recipient: row.recipient,
    subject: row.subject,
    text: row.body_text,
    html: row.body_html,
    fromName: row.from_name,
    partsSent: row.parts_sent,
    tries: row.tries,
    fence: row.fence,
  }
}

const reportMessageStatement = statement(
  'report_message',
  [int8, int4, text, text, int4, nullable(timestamptz), int4, timestamptz],
  { message_id: int8 },
  `update message set
     state = case when $3 = 'waiting' and unwanted_because <> '' then 'dead' else $3 end,
     problem = case when $3 = 'waiting' and unwanted_because <> '' then unwanted_because else $4 end,
     tries = $5, next_try_at = $6, parts_sent = parts_sent + $7, claimed_until = null,
     finished_at = case when $3 <> 'waiting' or unwanted_because <> '' then $8::timestamptz end
   where message_id = $1 and fence = $2 and (state = 'waiting' or (state = 'unknown' and $3 <> 'waiting'))
   returning message_id`,
)

const insertPartsStatement = statement(
  'insert_message_parts',
  [int8, text, arrayOf(int4), arrayOf(text), timestamptz],
  {},
  `insert into message_part (message_id, part_number, sender, sender_ref, state, changed_at)
   select $1, p.number, $2, p.ref, 'sent', $5 from unnest($3::int4[], $4::text[]) as p (number, ref)
   on conflict (message_id, part_number) do nothing`,
)

export type MessageReport = {
  readonly messageId: MessageId
  readonly fence: number
  readonly state: MessageState
  readonly problem: string
  readonly tries: number
  readonly nextTryAt: Temporal.Instant | null
  readonly sender: SenderName
  readonly parts: readonly SentPart[]
  readonly at: Temporal.Instant
}

// Answers whether the message was still ours to report on. What was taken has been taken, even if nobody
// knew so meanwhile.
export async function reportMessage(tx: Tx, report: MessageReport): Promise<boolean> {
  const { messageId, parts, at } = report
  const moved = await tx.run(reportMessageStatement, [
    messageId,
    report.fence,
    report.state,
    report.problem,
    report.tries,
    report.nextTryAt,
    parts.length,
    at,
  ])
  if (moved.length === 0) return false
  const numbers = parts.map(({ number }) => number)
  const refs = parts.map(({ ref }) => ref)
  if (parts.length > 0) await tx.run(insertPartsStatement, [messageId, report.sender, numbers, refs, at])
  return true
}

const reviveMessageStatement = statement(
  'revive_message',
  [int8],
  { message_id: int8 },
  `update message
   set state = 'waiting', tries = 0, next_try_at = null, finished_at = null, claimed_until = null,
     unwanted_because = ''
   where message_id = $1 and state in ('dead', 'unknown')
   returning message_id`,
)

// Answers whether there was anything to revive.
export async function reviveMessage(tx: Tx, message: MessageId): Promise<boolean> {
  return (await tx.run(reviveMessageStatement, [message])).length > 0
}

const deleteOldMessagesStatement = statement(
  'delete_old_messages',
  [timestamptz, int4],
  { message_id: int8 },
  `with old as (
     select message_id from message where state <> 'waiting' and finished_at < $1
     limit $2::int4
     for update skip locked)
   delete from message m using old where m.message_id = old.message_id
   returning m.message_id`,
)

const deleteOldReceiptsStatement = statement(
  'delete_old_early_receipts',
  [timestamptz],
  {},
  `delete from early_receipt where received_at < $1`,
)

const deleteOldInboundStatement = statement(
  'delete_old_inbound_texts',
  [timestamptz],
  {},
  `delete from inbound_text where received_at < $1`,
)

export async function deleteOldMessages(
  db: Queryable,
  { before, most }: { readonly before: Temporal.Instant; readonly most: number },
): Promise<number> {
  await db.run(deleteOldReceiptsStatement, [before])
  await db.run(deleteOldInboundStatement, [before])
  return (await db.run(deleteOldMessagesStatement, [before, most])).length
}
