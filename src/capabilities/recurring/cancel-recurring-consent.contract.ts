import { Type } from 'typebox'
import type { Cancellation } from '#capabilities/consents/cancel-annual-consent.operation.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { ConsentNumber } from '#capabilities/consents/consent.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireFlag } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

export const cancelRecurringConsentContract = defineContract({
  path: 'ConsentRecurring/Cancel',
  prefix: '/APIcardProcREST/v1.0.0/',
  literalPath: '/ICardProcess/ConsentRecurring_Cancel',
  resultKey: 'ConsentRecurring_CancelResult',
  access: 'session',
  load: 'change',
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Cancel a recurring consent',
  description:
    'Cancels the consent with all its scheduled payments and removes the card number. This cannot be ' +
    'undone. Also at /ICardProcess/ConsentRecurring_Cancel; SessKey may be a member of the body.',
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
    request: { ConsentID: 22 },
    result: { CancelSuccess: true, CancelledConsentID: 22 },
    message: 'Successfully DISBALED ConsentID 22 : Card Number Removed',
  },
  fromWire: ({ ConsentID }) => ok<Cancellation>({ consentId: consentId(BigInt(ConsentID)) }),
  toWire: ({ consentId: cancelled }: Cancellation) => ({
    // Spelled as given.
    message: `Successfully DISBALED ConsentID ${cancelled} : Card Number Removed`,
    members: { CancelSuccess: true, CancelledConsentID: Number(cancelled) },
  }),
  refusedToWire: () => ({ CancelSuccess: false, CancelledConsentID: 0 }),
})
