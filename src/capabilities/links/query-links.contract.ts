import { Type } from 'typebox'
import { codeInAddress } from '#capabilities/links/link-code.ts'
import { LinkRecord, linkToWire, sampleLink } from '#capabilities/links/link.wire.ts'
import type { FoundLink, LinkQuery } from '#capabilities/links/query-links.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { countSentence } from '#capabilities/wire/newest.wire.ts'
import { cardNumbers, outOfRange, WireAddress, WireId, type WireOf } from '#capabilities/wire/scalars.wire.ts'
import type { Newest } from '#kernel/newest.ts'
import { ok, type Result } from '#kernel/result.ts'

const QueryLinksRequest = Type.Object({
  LinkID: Type.Optional(WireId('The link.')),
  PaymentUrl: Type.Optional(WireAddress(4_096, 'The address that Other/SMSPay returned.')),
  RefID: Type.Optional(
    Type.String({
      maxLength: 150,
      description: 'The RefID or RPGUID it was made with, or who it was sent to.',
      ...cardNumbers.phone,
    }),
  ),
})

export const queryLinksContract = defineContract({
  path: 'Link/Query',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Link_QueryResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Query payment links',
  description:
    'Finds links of the account and says what became of them, newest first, at most 100: one by its ' +
    'id or address, those of a reference or a recipient, or the newest.',
  request: QueryLinksRequest,
  result: Type.Object({ Links: Type.Array(LinkRecord, { description: 'What was found.' }) }),
  refusals: ['session_invalid', 'session_elsewhere', 'rate_limited', 'value_out_of_range'],
  example: {
    request: { RefID: 'invoice-1042' },
    result: { Links: [sampleLink] },
    message: 'Found 1 link',
  },
  fromWire: queryFromWire,
  toWire: (links: Newest<FoundLink>) => ({
    message: countSentence(links, 'link'),
    members: { Links: links.found.map(linkToWire) },
  }),
  refusedToWire: () => ({ Links: [] }),
})

function queryFromWire({
  LinkID: id,
  PaymentUrl: url = '',
  RefID: reference = '',
}: WireOf<typeof QueryLinksRequest>): Result<LinkQuery, RequestFault> {
  const code = url === '' ? null : codeInAddress(url)
  if (url !== '' && !code) return outOfRange('PaymentUrl is no address of a link')
  return ok({ link: id === undefined ? null : BigInt(id), code, reference })
}
