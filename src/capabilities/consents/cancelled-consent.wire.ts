import { Type } from 'typebox'
import type { Cancellation } from '#capabilities/consents/cancel-consent.operation.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { ConsentNumber } from '#capabilities/consents/consent.wire.ts'
import { WireFlag, type WireOf } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

// How a consent is cancelled, whatever kind it is: the part that both contracts share.

const CancelRequest = Type.Object({ ConsentID: ConsentNumber })

export const cancelling = {
  request: CancelRequest,
  result: Type.Object({
    CancelSuccess: WireFlag('The consent is cancelled.'),
    CancelledConsentID: Type.Integer({
      description: 'The consent, also where it was cancelled before; 0 in every other refusal.',
    }),
  }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'consent_not_found',
    'consent_cancelled',
  ],
  fromWire: ({ ConsentID }: WireOf<typeof CancelRequest>) =>
    ok<Cancellation>({ consentId: consentId(BigInt(ConsentID)) }),
  toWire: ({ consentId: cancelled }: Cancellation) => ({
    // Spelled as given.
    message: `Successfully DISBALED ConsentID ${cancelled} : Card Number Removed`,
    members: { CancelSuccess: true, CancelledConsentID: Number(cancelled) },
  }),
  refusedToWire: (cancelled: Cancellation | null) => ({
    CancelSuccess: false,
    CancelledConsentID: Number(cancelled?.consentId ?? 0),
  }),
} as const
