import type { Channel } from '#capabilities/messages/message.ts'
import type { Sender } from '#capabilities/messages/sender.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Secret } from '#kernel/secret.ts'
import type { Database } from '#platform/postgres/database.ts'

export type Senders = Readonly<Record<Channel, Sender>>

// What this slice needs beyond the engine's context; apps/build-context.ts makes it.
export type MessageNeeds = Pick<
  EngineContext,
  'db' | 'clock' | 'accountClock' | 'keyRing' | 'sending' | 'log'
> & {
  // The connections of webhooks: what waits for others never takes one from a call.
  readonly deliveryDb: Database
  readonly senders: Senders
  // Of the link that a message is about.
  readonly linkAddressOf: (linkId: bigint) => string
  // By which the provider of texts signs what it tells us; null where there is none.
  readonly textApiToken: Secret | null
}
