import type { EventType } from '#engine/events/event-registry.ts'
import type { NewEvent } from '#engine/events/event.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'

type ConsentFacts = {
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly consentId: bigint
  readonly lastFour: string
  readonly customerRef: string
  readonly guid: string
}

export function consentEvent(
  type: Exclude<Extract<EventType, `consent.${string}`>, 'consent.expiring'>,
  { accountId, merchantNumber, consentId, lastFour, customerRef, guid }: ConsentFacts,
): NewEvent {
  const body = { merchant: String(merchantNumber), lastFour, customerRef, guid }
  return { accountId, type, objectId: consentId, body }
}
