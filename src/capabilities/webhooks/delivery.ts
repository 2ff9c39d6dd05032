import type { EndpointId } from '#capabilities/webhooks/endpoint.ts'
import type { AccountId, Branded } from '#kernel/ids.ts'

export type DeliveryId = Branded<bigint, 'DeliveryId'>

// What is sent to one receiver goes one way, so that a receiver which hangs delays nobody else.
export type Lane = string

export const laneOfEndpoint = (endpointId: EndpointId): Lane => `endpoint:${endpointId}`

// Forms post to addresses that nobody registered; each host has its own lane.
export const laneOfPost = (accountId: AccountId, url: string): Lane =>
  `post:${accountId}:${URL.parse(url)?.origin ?? 'nowhere'}`

export type Method = 'POST' | 'GET'

export type NewDelivery = {
  readonly accountId: AccountId
  readonly lane: Lane
  readonly endpointId: EndpointId | null
  readonly eventId: bigint | null
  readonly messageId: string
  readonly method: Method
  readonly url: string
  readonly body: string
  // By the clock of the account.
  readonly at: Temporal.Instant
}

// One that this node may try now, alone.
export type ClaimedDelivery = Omit<NewDelivery, 'at' | 'lane'> & {
  readonly deliveryId: DeliveryId
  readonly fence: number
  // Tries that have failed.
  readonly tries: number
}

export type DeliveryState = 'waiting' | 'delivered' | 'dead'

export type Delivery = {
  readonly deliveryId: DeliveryId
  readonly endpointId: EndpointId | null
  readonly eventId: bigint | null
  readonly messageId: string
  readonly method: Method
  readonly url: string
  readonly body: string
  readonly state: DeliveryState
  readonly tries: number
  readonly nextTryAt: Temporal.Instant
  readonly status: number | null
  readonly problem: string
  readonly createdAt: Temporal.Instant
}

export type Try = {
  readonly number: number
  readonly requestHead: string
  readonly status: number | null
  readonly answerHead: string
  readonly problem: string
  readonly tookMs: number
  readonly at: Temporal.Instant
}
