import {
  endMessages,
  type LinkMessage,
  loadNewestMessages,
} from '#capabilities/messages/link-message.store.ts'
import type { MessageNeeds } from '#capabilities/messages/message-needs.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Tx } from '#platform/postgres/database.ts'

export type EndedLinks = {
  readonly linkIds: readonly bigint[]
  // A sentence for whoever reads the message's problem, such as 'The link was withdrawn'.
  readonly because: string
}

// For links that are over: what still waits to be sent for them is not sent any more. Part of the caller's
// transaction. A message that is being sent at this moment may arrive, but is not tried again.
export async function endMessagesOfLinks(
  { clock }: Pick<MessageNeeds, 'clock'>,
  tx: Tx,
  { linkIds, because }: EndedLinks,
): Promise<void> {
  if (linkIds.length > 0) await endMessages(tx, { linkIds, because, at: clock.now() })
}

// What became of the newest message of each link; nothing for a link that was never sent.
export async function stateOfLinkMessages(
  { db }: Pick<MessageNeeds, 'db'>,
  account: AccountId,
  linkIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, LinkMessage>> {
  return linkIds.length === 0 ? new Map() : loadNewestMessages(db, account, linkIds)
}
