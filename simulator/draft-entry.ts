import type { CardTrace, Entry, EntryItem } from './bank-log.ts'
import {
  type BankAuthorization,
  type BankBatch,
  type BankRefund,
  type BankRequest,
  emptyReply,
  type Reply,
} from './bank-request.ts'
import { decide } from './decide.ts'
import type { Delivery } from './delivery.ts'

// What only this bank can make for a reference.
export type Signs = {
  readonly approvalCode: string
  readonly networkId: string
  digest(text: string): string
}

export type Circumstances = {
  readonly at: Temporal.Instant
  readonly refusalsInARow: number
  readonly faults: Partial<Delivery>
  readonly pace: number
}

// A request as the log will take it in, and how its answer is to travel.
export type Drafted = { readonly entry: Entry; readonly delivery: Partial<Delivery> }

export function draftEntry(request: BankRequest, signs: Signs, circumstances: Circumstances): Drafted {
  if (request.verb === 'authorize') return draftAuthorization(request, signs, circumstances)
  if (request.verb === 'refund') return { entry: draftRefund(request, signs, circumstances), delivery: {} }
  if (request.verb === 'settle') return draftBatch(request, signs, circumstances)
  return { entry: blankEntry(request, circumstances), delivery: {} }
}

function draftRefund(request: BankRefund, signs: Signs, circumstances: Circumstances): Entry {
  const { ref, original, amount } = request
  const { minor: amountMinor, currency } = amount
  return {
    ...blankEntry(request, circumstances),
    original,
    amountMinor,
    currency,
    digest: signs.digest(`refund ${original} ${amountMinor} ${currency}`),
    verdict: approval(ref, { currency, approvedMinor: amountMinor }, signs),
  }
}

function draftAuthorization(request: BankAuthorization, signs: Signs, circumstances: Circumstances): Drafted {
  const { ref, card, amount, fee, terminalId, isRecurring } = request
  const { at, refusalsInARow, faults } = circumstances
  const asked = {
    ...card,
    number: card.number.reveal(),
    amount,
    fee,
    hasSecurityCode: card.securityCode !== null,
  }
  const decision = decide(asked, { today: lastPlaceOnEarth(at), refusalsInARow })
  const { code, avs, cvv, advice, approvedMinor } = decision
  const { currency } = amount
  const verdict =
    decision.outcome === 'approved'
      ? { ...approval(ref, { currency, approvedMinor }, signs), code, avs, cvv }
      : { ...emptyReply(ref, 'declined', code), currency, avs, cvv, advice }
  const trace: CardTrace = {
    firstSix: card.number.firstSix,
    lastFour: card.number.lastFour,
    mark: signs.digest(`card ${card.number.reveal()}`),
  }
  const expiry = `${card.expiry.month}/${card.expiry.year}`
  const parts = [trace.mark, expiry, amount.minor, fee.minor, currency, terminalId, isRecurring]
  const delivery = { ...decision.delivery, ...faults }
  const later = (delayMs: number | undefined) => (delayMs ? laterThan(circumstances, delayMs) : null)
  const entry: Entry = {
    ...blankEntry(request, circumstances),
    terminalId,
    card: trace,
    amountMinor: amount.minor,
    feeMinor: fee.minor,
    currency,
    digest: signs.digest(`authorize ${parts.join(' ')}`),
    verdict,
    reason: decision.reason,
    refusalsInARow: decision.refusalsInARow,
    chargebackAt:
      decision.chargebackAfterDays === null ? null : at.add({ hours: 24 * decision.chargebackAfterDays }),
    hiddenUntil: later(delivery.inquiryLagMs),
    silentUntil: later(delivery.inquirySilenceMs),
  }
  return { entry, delivery: decision.delivery }
}

// A terminal whose name begins so has all its batches rejected.
const terminalThatRejects = 'REJECT'
// Of a terminal whose name begins so the bank does what it is asked for, but its answer is lost.
const terminalUnheard = 'SILENT'

function draftBatch(request: BankBatch, signs: Signs, circumstances: Circumstances): Drafted {
  const { ref, number, terminalId } = request
  const items: readonly EntryItem[] = request.items.map(({ amount, isCredit, ref: item }) => {
    return { ref: item, amountMinor: amount.minor, currency: amount.currency, isCredit }
  })
  const currency = items[0]?.currency ?? ''
  const netMinor = items.reduce(
    (sum, item) => sum + (item.isCredit ? -item.amountMinor : item.amountMinor),
    0n,
  )
  const isRejected = items.length === 0 || terminalId.startsWith(terminalThatRejects)
  const reason = items.length === 0 ? 'an empty batch' : `terminal ${terminalId}`
  const listed = items.map((item) => `${item.ref} ${item.amountMinor} ${item.currency} ${item.isCredit}`)
  const entry: Entry = {
    ...blankEntry(request, circumstances),
    terminalId,
    amountMinor: netMinor,
    currency,
    items,
    digest: signs.digest(['settle', number, ...listed].join('\n')),
    verdict: isRejected
      ? emptyReply(ref, 'declined', '95')
      : { ...approval(ref, { currency, approvedMinor: netMinor }, signs), networkId: '' },
    reason: isRejected ? reason : '',
  }
  return { entry, delivery: terminalId.startsWith(terminalUnheard) ? { losesAnswer: true } : {} }
}

function approval(
  ref: string,
  approved: Pick<Reply, 'currency' | 'approvedMinor'>,
  { approvalCode, networkId }: Signs,
): Reply {
  return { ...emptyReply(ref, 'approved', '00'), ...approved, approvalCode, networkId }
}

// An inquiry that a fault makes slow or blind says nothing about the reference itself; a fault of a refund
// does.
function blankEntry({ verb, ref }: BankRequest, circumstances: Circumstances): Entry {
  const { at, faults } = circumstances
  return {
    verb,
    ref,
    at,
    original: '',
    terminalId: '',
    card: null,
    amountMinor: 0n,
    feeMinor: 0n,
    currency: '',
    items: [],
    digest: '',
    verdict: null,
    reason: '',
    refusalsInARow: null,
    chargebackAt: null,
    hiddenUntil: faults.inquiryLagMs ? laterThan(circumstances, faults.inquiryLagMs) : null,
    silentUntil: faults.inquirySilenceMs ? laterThan(circumstances, faults.inquirySilenceMs) : null,
  }
}

function laterThan({ at, pace }: Circumstances, delayMs: number): Temporal.Instant {
  return at.add({ milliseconds: Math.round(delayMs * pace) })
}

// A card is good through its month wherever the merchant is, so the bank's day ends last. Worked out once an
// hour, because the bank is asked thousands of times a second.
function lastPlaceOnEarth(at: Temporal.Instant): Temporal.PlainDate {
  const hour = Math.floor(at.epochMilliseconds / 3_600_000)
  if (latest?.hour !== hour) latest = { hour, date: at.toZonedDateTimeISO('-12:00').toPlainDate() }
  return latest.date
}

let latest: { readonly hour: number; readonly date: Temporal.PlainDate } | null = null
