import { Type } from 'typebox'
import { type FoundRecords, type RecordQuery, recordsMax } from '#capabilities/search/found-records.ts'
import { lengthMax } from '#capabilities/search/parse-expression.ts'
import { cardNumbers, type WireOf, WireReference, WireText } from '#capabilities/wire/scalars.wire.ts'
import { ok, type Ok } from '#kernel/result.ts'

// What all queries share on the wire.
export const QueryRequest = Type.Object({
  Query: WireReference(lengthMax, 'What to look for, in the query language.'),
  PageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: recordsMax,
      description: 'How many records are returned at most; 10,000 when absent.',
    }),
  ),
  Cursor: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Where to go on: the NextCursor of the answer before, with the same Query.',
      ...cardNumbers.allowed,
    }),
  ),
})

export const NumRecords = Type.Integer({ description: 'How many records are returned.' })

// After the records.
export const PageMembers = {
  HasMore: Type.Boolean({ description: 'Whether more records fit than were returned up to now.' }),
  NextCursor: WireText(100, 'Send it as Cursor to get the next records; empty when there are none.'),
}

export const lastPage: WireOf<Type.TObject<typeof PageMembers>> = { HasMore: false, NextCursor: '' }

export const queryRefusals = [
  'session_invalid',
  'session_elsewhere',
  'rate_limited',
  'value_out_of_range',
  'query_unreadable',
  'query_too_complex',
  'query_meaningless',
  'query_too_slow',
] as const

export function queryFromWire(request: WireOf<typeof QueryRequest>): Ok<RecordQuery> {
  const { Query: query, PageSize: pageSize = recordsMax, Cursor: cursor = '' } = request
  return ok({ query, pageSize, cursor })
}

export function pageToWire({ nextCursor }: FoundRecords<unknown>): typeof lastPage {
  return nextCursor === null ? lastPage : { HasMore: true, NextCursor: nextCursor }
}

// Successfully Returned Transaction Records : 1
export function queryMessage(what: string, { records }: FoundRecords<unknown>): string {
  return `Successfully Returned ${what} Records : ${records.length}`
}
