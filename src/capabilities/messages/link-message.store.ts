import type { MessageState } from '#capabilities/messages/message.ts'
import type { AccountId } from '#kernel/ids.ts'
import { arrayOf, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const endMessagesStatement = statement(
  'end_messages_of_links',
  [arrayOf(int8), text, timestamptz],
  {},
  `update message set
     unwanted_because = $2,
     state = case when claimed_until is null then 'dead' else state end,
     problem = case when claimed_until is null then $2 else problem end,
     finished_at = case when claimed_until is null then $3::timestamptz end
   where link_id = any($1::int8[]) and state = 'waiting'`,
)

type End = {
  readonly linkIds: readonly bigint[]
  readonly because: string
  readonly at: Temporal.Instant
}

// What a sender has in hand goes on, but is not tried again.
export async function endMessages(tx: Tx, { linkIds, because, at }: End): Promise<void> {
  await tx.run(endMessagesStatement, [linkIds, because, at])
}

const newestMessagesStatement = statement(
  'newest_messages_of_links',
  [int8, arrayOf(int8)],
  { link_id: int8, state: text, problem: text },
  `select distinct on (link_id) link_id, state, problem from message
   where account_id = $1 and link_id = any($2::int8[])
   order by link_id, message_id desc`,
)

export type LinkMessage = { readonly state: MessageState; readonly problem: string }

export async function loadNewestMessages(
  db: Queryable,
  account: AccountId,
  linkIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, LinkMessage>> {
  const rows = await db.run(newestMessagesStatement, [account, linkIds])
  return new Map(rows.map((row) => [row.link_id, { state: row.state as MessageState, problem: row.problem }]))
}
