import type { MessageId } from '#capabilities/messages/message.ts'
import type { DeliveryReceipt } from '#capabilities/messages/sender.ts'
import { int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// A sender may use a name again after a long time: the newest part is meant.
const applyReceiptStatement = statement(
  'apply_delivery_receipt',
  [text, text, text, text, timestamptz],
  { message_id: int8 },
  `with meant as (
     select message_id, part_number from message_part where sender_ref = $2 and sender = $1
     order by message_id desc limit 1)
   update message_part p set state = $3, problem = $4, changed_at = $5
   from meant where p.message_id = meant.message_id and p.part_number = meant.part_number
   returning p.message_id`,
)

// Answers whose part it spoke of; null when nobody knows the part yet.
export async function applyReceipt(
  tx: Tx,
  { sender, ref, state, problem }: DeliveryReceipt,
  at: Temporal.Instant,
): Promise<MessageId | null> {
  const [row] = await tx.run(applyReceiptStatement, [sender, ref, state, problem, at])
  return row ? (row.message_id as MessageId) : null
}

const keepReceiptStatement = statement(
  'keep_early_receipt',
  [text, text, text, text, timestamptz],
  {},
  `insert into early_receipt (sender, sender_ref, state, problem, received_at) values ($1, $2, $3, $4, $5)`,
)

export async function keepEarlyReceipt(
  tx: Tx,
  { sender, ref, state, problem }: DeliveryReceipt,
  at: Temporal.Instant,
): Promise<void> {
  await tx.run(keepReceiptStatement, [sender, ref, state, problem, at])
}

// One that came minutes before its part speaks of another text: centres begin anew with their names, and some
// tell receipts by other names than they gave.
const applyEarlyReceiptsStatement = statement(
  'apply_early_receipts',
  [int8, timestamptz],
  {},
  `with early as (
     delete from early_receipt e using message_part p
     where p.message_id = $1 and e.sender_ref = p.sender_ref and e.sender = p.sender
     returning p.part_number, e.state, e.problem,
       e.received_at > p.changed_at - interval '5 minutes' as is_of_part)
   update message_part p set state = early.state, problem = early.problem, changed_at = $2
   from early where p.message_id = $1 and p.part_number = early.part_number and early.is_of_part`,
)

export async function applyEarlyReceipts(tx: Tx, message: MessageId, at: Temporal.Instant): Promise<void> {
  await tx.run(applyEarlyReceiptsStatement, [message, at])
}

const settleMessageStatement = statement(
  'settle_message',
  [int8, timestamptz],
  {},
  `update message m set
     state = case when seen.failed > 0 then 'dead' else 'delivered' end, problem = seen.problem,
     finished_at = $2
   from (
     select count(*) filter (where state = 'failed') as failed,
       count(*) filter (where state = 'delivered') as delivered, count(*) as parts,
       coalesce(max(problem), '') as problem
     from message_part where message_id = $1) seen
   where m.message_id = $1 and m.state = 'sent' and (seen.failed > 0 or seen.delivered = seen.parts)`,
)

// A text is delivered when all of its parts are, and dead when one of them cannot be.
export async function settleMessage(tx: Tx, message: MessageId, at: Temporal.Instant): Promise<void> {
  await tx.run(settleMessageStatement, [message, at])
}
