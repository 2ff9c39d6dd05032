import type { Channel, MessageId, MessageState } from '#capabilities/messages/message.ts'
import type { OutgoingMessage, SenderName, SentPart } from '#capabilities/messages/sender.ts'
import { arrayOf, bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
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
  [text, timestamptz, timestamptz, text, int8],
  {
    message_id: int8,
    public_id: text,
    recipient: text,
    subject: text,
    body_text: text,
    body_html: nullable(text),
    link_id: nullable(int8),
    from_name: text,
    parts_taken: arrayOf(int4),
    is_stopped: bool,
    tries: int4,
    outages: int4,
    fence: int4,
  },
  `with due as (
     select message_id from message
     where channel = $1 and state = 'waiting' and (next_try_at is null or next_try_at <= $2)
       and (claimed_until is null or claimed_until <= $2) and message_id > $5
     order by message_id
     limit 1
     for update skip locked)
   update message m set claimed_until = $3, fence = m.fence + 1, sender = $4
   from due, merchant r
   where m.message_id = due.message_id
     and r.account_id = m.account_id and r.merchant_number = m.merchant_number
   returning m.message_id, m.public_id, m.recipient, m.subject, m.body_text, m.body_html, m.link_id,
     r.name as from_name, m.tries, m.outages, m.fence,
     array(select part_number from message_part p where p.message_id = m.message_id and p.sender = $4)
       as parts_taken,
     m.channel = 'text' and m.purpose <> 'reply'
       and exists (select from stopped_phone s where s.phone = m.recipient) as is_stopped`,
)

export type ClaimedMessage = OutgoingMessage & {
  readonly linkId: bigint | null
  // That were not taken, before this one.
  readonly tries: number
  // In a row, before this try.
  readonly outages: number
  // The phone has said STOP since, or while this was queued. Our answers to that go out all the same.
  readonly isStopped: boolean
  readonly fence: number
}

type Claim = {
  readonly channel: Channel
  readonly now: Temporal.Instant
  readonly until: Temporal.Instant
  readonly sender: SenderName
  // Only what is younger than this one; null for all.
  readonly behind: MessageId | null
}

// The oldest one that is due.
export async function claimMessage(
  db: Queryable,
  { channel, now, until, sender, behind }: Claim,
): Promise<ClaimedMessage | null> {
  const [row] = await db.run(claimMessageStatement, [channel, now, until, sender, behind ?? 0n])
  if (!row) return null
  return {
    messageId: row.message_id as MessageId,
    publicId: row.public_id,
    recipient: row.recipient,
    subject: row.subject,
    text: row.body_text,
    html: row.body_html,
    linkId: row.link_id,
    fromName: row.from_name,
    partsTaken: row.parts_taken,
    tries: row.tries,
    outages: row.outages,
    isStopped: row.is_stopped,
    fence: row.fence,
  }
}

const reportMessageStatement = statement(
  'report_message',
  [int8, int4, text, text, int4, int4, nullable(timestamptz), timestamptz],
  { message_id: int8 },
  `update message set
     state = case when $3 = 'waiting' and unwanted_because <> '' then 'dead' else $3 end,
     problem = case when $3 = 'waiting' and unwanted_because <> '' then unwanted_because else $4 end,
     tries = $5, outages = $6, next_try_at = $7, claimed_until = null,
     finished_at = case when $3 <> 'waiting' or unwanted_because <> '' then $8::timestamptz end
   where message_id = $1 and fence = $2 and (state = 'waiting' or (state = 'unknown' and $3 <> 'waiting'))
   returning message_id`,
)

// A part that is sent anew has a new name.
const setPartsStatement = statement(
  'set_message_parts',
  [int8, text, arrayOf(int4), arrayOf(text), timestamptz],
  {},
  `insert into message_part (message_id, part_number, sender, sender_ref, state, changed_at)
   select $1, p.number, $2, p.ref, 'sent', $5 from unnest($3::int4[], $4::text[]) as p (number, ref)
   on conflict (message_id, part_number) do update set
     sender = excluded.sender, sender_ref = excluded.sender_ref, state = 'sent', problem = '',
     changed_at = excluded.changed_at
   where message_part.sender <> excluded.sender or message_part.sender_ref <> excluded.sender_ref`,
)

export type MessageReport = {
  readonly messageId: MessageId
  readonly fence: number
  readonly state: MessageState
  readonly problem: string
  readonly tries: number
  readonly outages: number
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
    report.outages,
    report.nextTryAt,
    at,
  ])
  if (moved.length === 0) return false
  if (parts.length > 0) await keepParts(tx, report)
  return true
}

type TakenParts = Pick<MessageReport, 'messageId' | 'sender' | 'parts' | 'at'>

// Also before the report on the whole text, so that a node that dies between two parts does not have the
// first one sent again.
export async function keepParts(db: Queryable, { messageId, sender, parts, at }: TakenParts): Promise<void> {
  const numbers = parts.map(({ number }) => number)
  const refs = parts.map(({ ref }) => ref)
  await db.run(setPartsStatement, [messageId, sender, numbers, refs, at])
}

const reviveMessageStatement = statement(
  'revive_message',
  [int8],
  { message_id: int8 },
  `update message
   set state = 'waiting', tries = 0, outages = 0, next_try_at = null, finished_at = null,
     claimed_until = null, unwanted_because = ''
   where message_id = $1 and state in ('dead', 'unknown')
   returning message_id`,
)

const forgetFailedPartsStatement = statement(
  'forget_failed_message_parts',
  [int8],
  {},
  `delete from message_part where message_id = $1 and state = 'failed'`,
)

// Answers whether there was anything to revive. Parts that did not arrive are sent again, the others not.
export async function reviveMessage(tx: Tx, message: MessageId): Promise<boolean> {
  const revived = await tx.run(reviveMessageStatement, [message])
  if (revived.length > 0) await tx.run(forgetFailedPartsStatement, [message])
  return revived.length > 0
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
