import { countMessages, loadMessage, loadMessages, loadParts } from '#capabilities/messages/shown.store.ts'
import { listLanes, type Lane } from '#capabilities/messages/lane.store.ts'
import type { MessageNeeds } from '#capabilities/messages/message-needs.ts'
import type { Channel, MessageId, MessageState, Purpose } from '#capabilities/messages/message.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'

type Needs = Pick<MessageNeeds, 'db'>

export type StoredMessage = {
  readonly messageId: MessageId
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly merchantName: string
  readonly channel: Channel
  readonly purpose: Purpose
  readonly recipient: string
  readonly subject: string
  readonly text: string
  readonly html: string | null
  readonly linkId: bigint | null
  readonly publicId: string
  readonly state: MessageState
  readonly sender: string
  readonly tries: number
  readonly problem: string
  readonly createdAt: Temporal.Instant
}

export type StoredPart = {
  readonly number: number
  readonly ref: string
  readonly state: 'sent' | 'delivered' | 'failed'
  readonly problem: string
}

export type Wanted = {
  // Null for all accounts, which only the sandbox's outbox and operators see.
  readonly accountId: AccountId | null
  readonly state: MessageState | null
  readonly most: number
}

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
