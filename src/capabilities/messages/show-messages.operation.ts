import { countMessages, loadMessage, loadMessages, loadParts } from '#capabilities/messages/shown.store.ts'
import { listLanes, type Lane } from '#capabilities/messages/lane.store.ts'
import { withLink } from '#capabilities/messages/link-mark.ts'
import type { MessageNeeds } from '#capabilities/messages/message-needs.ts'
import type { StoredMessage, StoredPart, Wanted } from '#capabilities/messages/message.ts'

type Needs = Pick<MessageNeeds, 'db' | 'linkAddressOf'>

// Newest first.
export async function listMessages(needs: Needs, wanted: Wanted): Promise<readonly StoredMessage[]> {
  return (await loadMessages(needs.db, wanted)).map((message) => withLink(needs, message))
}

export type ShownMessage = { readonly message: StoredMessage; readonly parts: readonly StoredPart[] }

export async function showMessage(needs: Needs, id: bigint): Promise<ShownMessage | null> {
  const message = await loadMessage(needs.db, id)
  if (!message) return null
  return { message: withLink(needs, message), parts: await loadParts(needs.db, message.messageId) }
}

export type Backlog = {
  readonly waiting: number
  readonly dead: number
  readonly unknown: number
  readonly lanes: readonly Lane[]
}

// For whoever watches over the gateway.
export async function readMessageBacklog({ db }: Pick<Needs, 'db'>): Promise<Backlog> {
  return { ...(await countMessages(db)), lanes: await listLanes(db) }
}
