import { Type } from 'typebox'
import type { FoundRecords } from '#capabilities/search/found-records.ts'
import { lengthMax } from '#capabilities/search/parse-expression.ts'
import { type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { ok, type Ok } from '#kernel/result.ts'

// What all queries share on the wire.
export const QueryRequest = Type.Object({
  Query: WireText(lengthMax, 'What to look for, in the query language.'),
})

export const NumRecords = Type.Integer({ description: 'How many records are returned.' })

export const queryRefusals = [
  'session_invalid',
  'session_elsewhere',
  'rate_limited',
  'query_unreadable',
  'query_too_complex',
  'query_meaningless',
  'query_too_slow',
] as const

export function queryFromWire({ Query }: WireOf<typeof QueryRequest>): Ok<string> {
  return ok(Query)
}

// Successfully Returned Transaction Records : 1
export function queryMessage(what: string, { records, isCut, recentDays }: FoundRecords<unknown>): string {
  const told = [
    `Successfully Returned ${what} Records : ${records.length}`,
    ...(isCut ? ['there are more, these are the newest'] : []),
    ...(recentDays === null ? [] : [`only the newest ${daysText(recentDays)} searched`]),
  ]
  return told.join('; ')
}

function daysText(days: number): string {
  return days === 1 ? 'day was' : `${days} days were`
}
