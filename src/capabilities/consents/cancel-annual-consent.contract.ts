import { Type } from 'typebox'
import type { Cancellation } from '#capabilities/consents/cancel-annual-consent.operation.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { ConsentNumber } from '#capabilities/consents/consent.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireFlag } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

export const cancelAnnualConsentContract = defineContract({
  path: 'ConsentAnnual/Cancel',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ConsentAnnual_CancelResult',
  access: 'session',
  load: 'change',
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Cancel a consent',
  description: 'Disables the consent and removes the card number. This cannot be undone.',
  request: Type.Object({ ConsentID: ConsentNumber }),
  result: Type.Object({
    CancelSuccess: WireFlag('The consent is cancelled.'),
    CancelledConsentID: Type.Integer({ description: 'The consent; 0 when refused.' }),
  }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'consent_not_found',
    'consent_cancelled',
  ],
  example: {
    request: { ConsentID: 20 },
    result: { CancelSuccess: true, CancelledConsentID: 20 },
    message: 'Successfully DISBALED ConsentID 20 : Card Number Removed',
  },
  fromWire: ({ ConsentID }) => ok<Cancellation>({ consentId: consentId(BigInt(ConsentID)) }),
  toWire: ({ consentId: cancelled }: Cancellation) => ({
    // Spelled as given.
    message: `Successfully DISBALED ConsentID ${cancelled} : Card Number Removed`,
    members: { CancelSuccess: true, CancelledConsentID: Number(cancelled) },
  }),
  refusedToWire: () => ({ CancelSuccess: false, CancelledConsentID: 0 }),
})
