import type { ConsentToCharge } from '#capabilities/consents/consent.ts'
import type { PaymentDetails } from '#engine/payments/attempt.ts'
import { printExpiry } from '#kernel/card-expiry.ts'

type OwnWords = 'guid' | 'service' | 'clientRef' | 'customerLastName' | 'customerFirstName'
type Said = Pick<PaymentDetails, 'user' | 'userId' | 'origin' | 'feeDecision'> &
  Partial<Pick<PaymentDetails, OwnWords>> & { readonly askedBy?: PaymentDetails['askedBy'] | undefined }

// What a charge of a stored card says of itself, and where that is nothing, what is stored with the consent.
export function storedCardDetails(
  { consentId, card, details: stored }: Pick<ConsentToCharge, 'consentId' | 'card' | 'details'>,
  said: Said,
): PaymentDetails {
  return {
    guid: said.guid || stored.guid,
    user: said.user,
    brand: card.brand,
    expiry: printExpiry(card.expiry),
    origin: said.origin,
    userId: said.userId,
    service: said.service || stored.service,
    lastFour: card.lastFour,
    clientRef: said.clientRef || stored.customerRef,
    consentId: String(consentId),
    feeDecision: said.feeDecision,
    holderLastName: stored.holderLastName,
    holderFirstName: stored.holderFirstName,
    customerLastName: said.customerLastName || stored.customerLastName,
    customerFirstName: said.customerFirstName || stored.customerFirstName,
    ...(said.askedBy ? { askedBy: said.askedBy } : {}),
  }
}
