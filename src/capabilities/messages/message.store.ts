import type { MessageId, NewMessage } from '#capabilities/messages/message.ts'
import { assert } from '#kernel/assert.ts'
import { int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertMessageStatement = statement(
  'insert_message',
  [int8, int4, text, text, text, text, text, nullable(text), nullable(int8), text, timestamptz],
  { message_id: int8 },
  `insert into message
     (account_id, merchant_number, channel, purpose, recipient, subject, body_text, body_html, link_id,
      public_id, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   returning message_id`,
)

export async function insertMessage(tx: Tx, message: NewMessage, publicId: string): Promise<MessageId> {
  const [row] = await tx.run(insertMessageStatement, [
    message.accountId,
    message.merchantNumber,
    message.channel,
    message.purpose,
    message.recipient,
    message.subject,
    message.text,
    message.html,
    message.linkId,
    publicId,
    message.at,
  ])
  assert(row, 'an inserted message has an id')
  return row.message_id as MessageId
}
