import type { InboxMessage, InboxVerdict } from '#capabilities/sandbox/inbox-message.ts'
import { bytea, int4, int8, jsonb, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertInboxMessageStatement = statement(
  'insert_inbox_message',
  [text, text, text, jsonb, bytea, text, text, int4, timestamptz],
  {},
  `insert into inbox_message
     (name, method, path, headers, body, verdict, explanation, answered, received_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
)

const trimInboxStatement = statement(
  'trim_inbox',
  [int8],
  {},
  `delete from inbox_message
   where inbox_message_id <= (select max(inbox_message_id) from inbox_message) - $1`,
)

export type NewInboxMessage = Omit<InboxMessage, 'inboxMessageId'>

// Keeps the newest only: an inbox is looked at, not archived.
export async function insertInboxMessage(
  db: Queryable,
  message: NewInboxMessage,
  most: number,
): Promise<void> {
  const { name, method, path, headers, body, verdict, explanation, answered, receivedAt } = message
  const values = [name, method, path, headers, body, verdict, explanation, answered, receivedAt] as const
  await db.run(insertInboxMessageStatement, values)
  await db.run(trimInboxStatement, [BigInt(most)])
}

const listInboxStatement = statement(
  'list_inbox',
  [int4],
  {
    inbox_message_id: int8,
    name: text,
    method: text,
    path: text,
    headers: jsonb,
    body: bytea,
    verdict: text,
    explanation: text,
    answered: int4,
    received_at: timestamptz,
  },
  `select inbox_message_id, name, method, path, headers, body, verdict, explanation, answered, received_at
   from inbox_message order by inbox_message_id desc limit $1::int4`,
)

// Newest first.
export async function loadInbox(db: Queryable, most: number): Promise<readonly InboxMessage[]> {
  const rows = await db.run(listInboxStatement, [most])
  return rows.map((row) => ({
    inboxMessageId: row.inbox_message_id,
    name: row.name,
    method: row.method,
    path: row.path,
    headers: row.headers as InboxMessage['headers'],
    body: row.body,
    verdict: row.verdict as InboxVerdict,
    explanation: row.explanation,
    answered: row.answered,
    receivedAt: row.received_at,
  }))
}
