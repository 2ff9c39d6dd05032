import { Type } from 'typebox'
import { LinkRecord, linkToWire, sampleLink } from '#capabilities/links/link.wire.ts'
import type { FoundLink } from '#capabilities/links/query-links.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { orNull, WireId } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

export const withdrawLinkContract = defineContract({
  path: 'Link/Withdraw',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Link_WithdrawResult',
  access: 'session',
  load: 'change',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Withdraw a payment link',
  description:
    'Ends a link that nobody shall pay any more; its page says so from now on. A link that was withdrawn ' +
    'before stays so. One that is paid, or being paid in this moment, is refused and stays as it is.',
  request: Type.Object({ LinkID: WireId('The link, as Link/Query tells it.') }),
  result: Type.Object({ Link: orNull(LinkRecord) }),
  refusals: ['session_invalid', 'session_elsewhere', 'rate_limited', 'link_not_found', 'link_over'],
  example: {
    request: { LinkID: 7 },
    result: { Link: { ...sampleLink, State: 'WITHDRAWN' } },
    message: 'Link 7 is withdrawn',
  },
  fromWire: ({ LinkID }) => ok({ link: BigInt(LinkID) }),
  toWire: (found: FoundLink) => ({
    message: `Link ${found.link.linkId} is withdrawn`,
    members: { Link: linkToWire(found) },
  }),
  refusedToWire: () => ({ Link: null }),
})
