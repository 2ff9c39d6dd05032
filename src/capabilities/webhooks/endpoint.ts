import type { EventType } from '#engine/events/event-registry.ts'
import type { AccountId, Branded } from '#kernel/ids.ts'

export type EndpointId = Branded<bigint, 'EndpointId'>
export const endpointId = (value: bigint): EndpointId => value as EndpointId

// Where an account wants to be told of events.
export type Endpoint = {
  readonly endpointId: EndpointId
  readonly accountId: AccountId
  readonly url: string
  // Empty for all.
  readonly eventTypes: readonly EventType[]
  readonly description: string
  readonly isActive: boolean
  readonly disabledBecause: string
  readonly createdBy: string
  readonly createdAt: Temporal.Instant
}

export const endpointsMax = 20

export function wants({ eventTypes }: Pick<Endpoint, 'eventTypes'>, type: EventType): boolean {
  return eventTypes.length === 0 || eventTypes.includes(type)
}

// Whose secrets sign: an endpoint's, or the account's own, which signs what its forms post.
export type SecretOwner = { readonly accountId: AccountId; readonly endpointId: EndpointId | null }
