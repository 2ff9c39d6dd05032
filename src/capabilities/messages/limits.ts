import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Purpose } from '#capabilities/messages/message.ts'

// Against texts that are sent to earn from them, and against mailboxes that are flooded through us.
export type MessageLimits = {
  readonly perHour: number
  readonly perDay: number
  readonly perRecipientHour: number
  readonly perRecipientDay: number
  // Where texts may go; empty for the country of the merchant record, the United States and Canada.
  readonly countries: readonly string[]
}

export const defaultLimits: MessageLimits = {
  perHour: 200,
  perDay: 2_000,
  perRecipientHour: 3,
  perRecipientDay: 10,
  countries: [],
}

// From all accounts together, so that nobody is flooded by many of them. For an account whose own limit is
// higher, that one is counted for all.
const toRecipientByAll = { perHour: 12, perDay: 40 }

// Receipts follow payments, so an account has as many as it has payments. A mailbox is protected all the
// same, from all accounts together.
const receiptsPerRecipientDay = 30

export type SentBefore = {
  // By the account: within the last hour and the last day.
  readonly inHour: number
  readonly inDay: number
  // And to this recipient.
  readonly toRecipientInHour: number
  readonly toRecipientInDay: number
  // By all accounts together.
  readonly toRecipientInHourByAll: number
  readonly toRecipientInDayByAll: number
}

export type LimitRefusal = 'too_many_messages' | 'too_many_to_recipient'

export function judgeLimits(
  limits: MessageLimits,
  before: SentBefore,
  { purpose, recipient }: { readonly purpose: Purpose; readonly recipient: string },
): Result<null, LimitRefusal> {
  if (purpose === 'receipt')
    return before.toRecipientInDayByAll < receiptsPerRecipientDay
      ? ok(null)
      : refuse('too_many_to_recipient', { recipient, limit: receiptsPerRecipientDay, span: 'a day' })
  const perHourByAll = Math.max(toRecipientByAll.perHour, limits.perRecipientHour)
  const perDayByAll = Math.max(toRecipientByAll.perDay, limits.perRecipientDay)
  const spans = [
    ['too_many_messages', before.inHour, limits.perHour, 'an hour'],
    ['too_many_messages', before.inDay, limits.perDay, 'a day'],
    ['too_many_to_recipient', before.toRecipientInHour, limits.perRecipientHour, 'an hour'],
    ['too_many_to_recipient', before.toRecipientInDay, limits.perRecipientDay, 'a day'],
    ['too_many_to_recipient', before.toRecipientInHourByAll, perHourByAll, 'an hour'],
    ['too_many_to_recipient', before.toRecipientInDayByAll, perDayByAll, 'a day'],
  ] as const
  const broken = spans.find(([, sent, limit]) => sent >= limit)
  if (!broken) return ok(null)
  const [kind, , limit, span] = broken
  return refuse(kind, { recipient, limit, span })
}

// Neighbours whose texts cost the same; the record's own country first.
export function allowedCountries({ countries }: MessageLimits, home: string): readonly string[] {
  return countries.length > 0 ? countries : [...new Set([home, 'US', 'CA'])]
}
