import { Type } from 'typebox'
import { LinkRecord, linkToWire, sampleLink } from '#capabilities/links/link.wire.ts'
import { bodyName, sentenceFor } from '#capabilities/links/make-link.contract.ts'
import type { FoundLink } from '#capabilities/links/query-links.operation.ts'
import type { ResendWish } from '#capabilities/links/resend-link.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { orNull, WireId } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

export const resendLinkContract = defineContract({
  path: 'Link/Resend',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Link_ResendResult',
  access: 'session',
  load: 'change',
  takesKey: true,
  isBeyondSpecification: true,
  title: 'Send a payment link again',
  description:
    'Sends a link that is still open to the same recipient, in the same words. A link that was LOCKED ' +
    'begins anew; one for your own use (URLONLY) is unlocked, and nothing is sent. Repeated under its ' +
    'Idempotency-Key it sends nothing, and tells the link as it is by then.',
  request: Type.Object({ LinkID: WireId('The link, as Link/Query tells it.') }),
  result: Type.Object({ Link: orNull(LinkRecord) }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'key_running',
    'key_reused',
    'value_out_of_range',
    'link_not_found',
    'link_over',
    'link_without_recipient',
    'recipient_stopped',
    'country_not_allowed',
    'too_many_messages',
    'too_many_to_recipient',
  ],
  example: {
    request: { LinkID: 7 },
    result: { Link: sampleLink },
    message: 'Text Sent Successfully to +12125550123',
  },
  fromWire: ({ LinkID }) => ok<ResendWish>({ link: BigInt(LinkID), bodyName }),
  toWire: (found: FoundLink) => ({
    message:
      found.link.sending === 'none' ? `Link ${found.link.linkId} is unlocked` : sentenceFor(found.link),
    members: { Link: linkToWire(found) },
  }),
  refusedToWire: () => ({ Link: null }),
})
