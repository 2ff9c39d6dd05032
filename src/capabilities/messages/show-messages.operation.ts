import { countMessages, loadMessage, loadMessages, loadParts } from '#capabilities/messages/shown.store.ts'
import { listLanes, type Lane } from '#capabilities/messages/lane.store.ts'
import type { MessageNeeds } from '#capabilities/messages/message-needs.ts'
import type { StoredMessage, StoredPart, Wanted } from '#capabilities/messages/message.ts'

type Needs = Pick<MessageNeeds, 'db'>

// Newest first.
export function listMessages({ db }: Needs, wanted: Wanted): Promise<readonly StoredMessage[]> {
  return loadMessages(db, wanted)
}

export type ShownMessage = { readonly message: StoredMessage; readonly parts: readonly StoredPart[] }

export async function showMessage({ db }: Needs, id: bigint): Promise<ShownMessage | null> {
  const message = await loadMessage(db, id)
  return message && { message, parts: await loadParts(db, message.messageId) }
}

export type Backlog = {
  readonly waiting: number
  readonly dead: number
  readonly unknown: number
  readonly lanes: readonly Lane[]
}

// For whoever watches over the gateway.
export async function readMessageBacklog({ db }: Needs): Promise<Backlog> {
  return { ...(await countMessages(db)), lanes: await listLanes(db) }
}
