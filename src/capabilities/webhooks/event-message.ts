import { type EventObject, eventRegistry, type EventType } from '#engine/events/event-registry.ts'
import { printMoment } from '#kernel/calendar.ts'
import { type AccountId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'

export type StoredEvent = {
  readonly eventId: bigint
  readonly accountId: AccountId
  readonly type: EventType
  readonly objectId: bigint
  readonly body: Readonly<Record<string, unknown>>
  readonly createdAt: Temporal.Instant
}
// null: it is told from the attempt that it is about.
export type EventAsKept = Omit<StoredEvent, 'body'> & { readonly body: StoredEvent['body'] | null }

// The merchant record that an event belongs to; null for one of the account itself.
export function recordOf({ body: { merchant } }: Pick<StoredEvent, 'body'>): MerchantNumber | null {
  return typeof merchant === 'string' && merchant !== '' ? merchantNumber(Number(merchant)) : null
}

export type EventMessage = {
  readonly type: EventType
  readonly timestamp: string
  // Grows from event to event, so that a receiver can tell older news of the same object and drop them.
  readonly seq: number
  readonly sandbox: boolean
  readonly data: Readonly<Record<string, unknown>> & { readonly object: EventObject; readonly id: number }
}

// What a receiver is told. Written from what never changes, so that it reads the same whenever it is written.
export function messageOf(
  { eventId, type, objectId, body, createdAt }: Omit<StoredEvent, 'accountId'>,
  isSandbox: boolean,
): EventMessage {
  return {
    type,
    timestamp: printMoment(createdAt),
    seq: Number(eventId),
    sandbox: isSandbox,
    data: { object: eventRegistry[type].object, id: Number(objectId), ...body },
  }
}
