import type { EngineContext } from '#engine/context.ts'
import type { SendRequest } from '#platform/outbound/send-request.ts'
import type { Database } from '#platform/postgres/database.ts'

// What this slice needs beyond the engine's context; apps/build-context.ts makes it.
export type WebhookNeeds = Pick<
  EngineContext,
  'db' | 'clock' | 'accountClock' | 'movedClocks' | 'keyRing' | 'sending' | 'log'
> & {
  // Connections of its own: a hundred receivers that answer slowly never take one from a call.
  readonly deliveryDb: Database
  readonly sendRequest: SendRequest
}
