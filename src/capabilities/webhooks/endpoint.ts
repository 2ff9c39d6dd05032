import { recordOf, type StoredEvent } from '#capabilities/webhooks/event-message.ts'
import type { EventType } from '#engine/events/event-registry.ts'
import { worksFor } from '#engine/merchants/merchant.ts'
import type { AccountId, Branded, MerchantNumber } from '#kernel/ids.ts'

export type EndpointId = Branded<bigint, 'EndpointId'>
export const endpointId = (value: bigint): EndpointId => value as EndpointId

// Where an account wants to be told of events.
export type Endpoint = {
  readonly endpointId: EndpointId
  readonly accountId: AccountId
  // Its only merchant record, when whoever added it works for that one alone; null for all of the account.
  readonly merchantNumber: MerchantNumber | null
  readonly url: string
  // Empty for all.
  readonly eventTypes: readonly EventType[]
  readonly description: string
  readonly isActive: boolean
  readonly disabledBecause: string
  readonly createdBy: string
  readonly createdAt: Temporal.Instant
}

// For all of an account, and again for each of its merchant records.
export const endpointsMax = 20

export function wants(
  { eventTypes, merchantNumber }: Pick<Endpoint, 'eventTypes' | 'merchantNumber'>,
  event: Pick<StoredEvent, 'type' | 'body'>,
): boolean {
  const isChosen = eventTypes.length === 0 || eventTypes.includes(event.type)
  return isChosen && worksFor({ merchantNumber }, { merchantNumber: recordOf(event) })
}

// Whose secrets sign: an endpoint's, or the account's own, which signs what its forms post.
export type SecretOwner = { readonly accountId: AccountId; readonly endpointId: EndpointId | null }
