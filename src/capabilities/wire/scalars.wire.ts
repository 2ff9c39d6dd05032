import { type Static, type TSchema, Type } from 'typebox'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { parseCalendarDate, parseMoment, readableDates } from '#kernel/calendar.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// The scalar shapes of the interface, with what the specification leaves open filled in by docs/spec-gaps.md.
// Members that start with x- are ours; OpenAPI and JSON Schema readers ignore them.

export const WireText = (lengthMax: number, description: string) =>
  Type.String({ maxLength: lengthMax, description })

export const WireReference = (lengthMax: number, description: string) =>
  Type.String({ maxLength: lengthMax, description, ...cardNumbers.byRecord })

// A text that holds a card number is refused, unless its member has one of these keywords.
export const cardNumbers = {
  // A merchant record may say that its references look like card numbers.
  byRecord: { 'x-card-numbers': 'by-record' },
  // Phone numbers have up to 15 digits, and some pass for a card number.
  phone: { 'x-card-numbers': 'over-15-digits' },
  // The numbers of cards and bank accounts themselves, secrets, web addresses, dates and cursors.
  allowed: { 'x-card-numbers': 'allowed' },
} as const

// A web address, whose digits are what its owner has chosen.
export const WireAddress = (lengthMax: number, description: string) =>
  Type.String({ maxLength: lengthMax, description, ...cardNumbers.allowed })

// Like WireText, but line feeds and tabs are part of the text.
export const WireLines = (lengthMax: number, description: string) =>
  Type.String({ maxLength: lengthMax, description, 'x-lines': true })

// In changes an empty text, 0, -1 and "-1" stand for "as it is", for numbers and texts alike.
const leavable = { minimum: -1, 'x-blank': true } as const

export const LeavableNumber = (maximum: number, description: string) =>
  Type.Integer({ ...leavable, maximum, description })

export const LeavableAmount = (description: string) =>
  Type.Number({ ...leavable, maximum: 9_999_999_999.99, description, 'x-amount': true })

export const WireEmail = (description: string) =>
  Type.String({ maxLength: 150, description, 'x-email': true })

export const LeavableEmail = (description: string) =>
  Type.String({ maxLength: 150, description, 'x-email': true, 'x-blank': true })

export const WirePhone = (description: string) =>
  Type.String({ maxLength: 32, description, 'x-phone': true, ...cardNumbers.phone })

// A text of digits is one as well.
export const WireId = (description: string) => IdFrom(1, description)

// Where 0 or -1 stand for none.
export const IdFrom = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: 999_999_999_999_999, description, 'x-id': true })

export const WireAmount = (description: string) =>
  Type.Number({ minimum: 0, maximum: 9_999_999_999.99, description, 'x-amount': true })

export const WireMoment = (description: string) =>
  Type.String({
    maxLength: 40,
    description,
    'x-date': true,
    ...cardNumbers.allowed,
    examples: ['2027-04-18T07:29:47.000Z'],
  })

export const WireFlag = (description: string) => Type.Boolean({ description })

export function orNull<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

export function readMoment(
  text: string,
  { zone, member }: { zone: string; member: string },
): Result<Temporal.Instant, RequestFault> {
  const moment = parseMoment(text, zone)
  return moment ? ok(moment) : outOfRange(`${member} is not a date that can be read, ${readableDates}`)
}

export function readCalendarDate(text: string, member: string): Result<Temporal.PlainDate, RequestFault> {
  const date = parseCalendarDate(text)
  return date ? ok(date) : outOfRange(`${member} is not a date that can be read, ${readableDates}`)
}

// 7/10/2027, for people.
export function dateText({ month, day, year }: Temporal.PlainDate): string {
  return `${month}/${day}/${year}`
}

export function outOfRange(problem: string) {
  return refuse('value_out_of_range', { problem })
}

export type WireOf<T extends TSchema> = Static<T>
