import type {
  Channel,
  MessageId,
  MessageState,
  Purpose,
  StoredMessage,
  StoredPart,
  Wanted,
} from '#capabilities/messages/message.ts'
import { accountId, merchantNumber } from '#kernel/ids.ts'
import { int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const messageColumns = {
  message_id: int8,
  account_id: int8,
  merchant_number: int4,
  merchant_name: text,
  channel: text,
  purpose: text,
  recipient: text,
  subject: text,
  body_text: text,
  body_html: nullable(text),
  link_id: nullable(int8),
  public_id: text,
  state: text,
  sender: text,
  tries: int4,
  problem: text,
  created_at: timestamptz,
}

const listMessagesStatement = statement(
  'list_messages',
  [nullable(int8), nullable(text), int4],
  messageColumns,
  `select m.message_id, m.account_id, m.merchant_number, r.name as merchant_name, m.channel, m.purpose,
     m.recipient, m.subject, m.body_text, m.body_html, m.link_id, m.public_id, m.state, m.sender, m.tries,
     m.problem, m.created_at
   from message m join merchant r using (account_id, merchant_number)
   where ($1::int8 is null or m.account_id = $1) and ($2::text is null or m.state = $2)
   order by m.message_id desc limit $3::int4`,
)

export async function loadMessages(
  db: Queryable,
  { accountId: account, state, most }: Wanted,
): Promise<readonly StoredMessage[]> {
  return (await db.run(listMessagesStatement, [account, state, most])).map(messageFromRow)
}

const findMessageStatement = statement(
  'find_message',
  [int8],
  messageColumns,
  `select m.message_id, m.account_id, m.merchant_number, r.name as merchant_name, m.channel, m.purpose,
     m.recipient, m.subject, m.body_text, m.body_html, m.link_id, m.public_id, m.state, m.sender, m.tries,
     m.problem, m.created_at
   from message m join merchant r using (account_id, merchant_number)
   where m.message_id = $1`,
)

export async function loadMessage(db: Queryable, id: bigint): Promise<StoredMessage | null> {
  const [row] = await db.run(findMessageStatement, [id])
  return row ? messageFromRow(row) : null
}

function messageFromRow(row: RowOf<typeof messageColumns>): StoredMessage {
  return {
    messageId: row.message_id as MessageId,
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    merchantName: row.merchant_name,
    channel: row.channel as Channel,
    purpose: row.purpose as Purpose,
    recipient: row.recipient,
    subject: row.subject,
    text: row.body_text,
    html: row.body_html,
    linkId: row.link_id,
    publicId: row.public_id,
    state: row.state as MessageState,
    sender: row.sender,
    tries: row.tries,
    problem: row.problem,
    createdAt: row.created_at,
  }
}

const listPartsStatement = statement(
  'list_message_parts',
  [int8],
  { part_number: int4, sender_ref: text, state: text, problem: text },
  `select part_number, sender_ref, state, problem from message_part
   where message_id = $1 order by part_number`,
)

export async function loadParts(db: Queryable, message: MessageId): Promise<readonly StoredPart[]> {
  const rows = await db.run(listPartsStatement, [message])
  return rows.map((row) => ({
    number: row.part_number,
    ref: row.sender_ref,
    state: row.state as StoredPart['state'],
    problem: row.problem,
  }))
}

const countMessagesStatement = statement(
  'count_messages',
  [],
  { waiting: int4, dead: int4, unknown: int4 },
  `select
     (select count(*) from message where state = 'waiting')::int4 as waiting,
     count(*) filter (where state = 'dead')::int4 as dead,
     count(*) filter (where state = 'unknown')::int4 as unknown
   from message where state in ('dead', 'unknown')`,
)

export async function countMessages(
  db: Queryable,
): Promise<{ readonly waiting: number; readonly dead: number; readonly unknown: number }> {
  const [row] = await db.run(countMessagesStatement, [])
  return { waiting: row?.waiting ?? 0, dead: row?.dead ?? 0, unknown: row?.unknown ?? 0 }
}
