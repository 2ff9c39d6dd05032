import { type Dated, rowOn } from '#engine/fees/dated-row.ts'
import { networkName } from '#engine/fees/network-caps.ts'
import { declineClass } from '#engine/payments/decline-codes.ts'
import type { CardBrand } from '#kernel/card-brand.ts'

// What becomes of an instalment that the issuer has declined. Shipped as data, as of November 2026; it is no
// advice: compare it with the networks' current rules before relying on it.

type RetryClass = 'soft' | 'hard' | 'stop'

type Advice = { readonly means: string; readonly stops?: true; readonly waitDays?: number }

// Mastercard's merchant advice codes, where they say more than the decline code. As Braintree lists them
// (merchant advice codes); 24 to 30 come with insufficient funds, in the United States since 9 October 2023.
const mastercardAdvice: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ['03', { means: 'do not try again', stops: true }],
  ['21', { means: 'the payment was cancelled by the payer', stops: true }],
  ['24', { means: 'try again after an hour' }],
  ['25', { means: 'try again after a day', waitDays: 1 }],
  ['26', { means: 'try again after 2 days', waitDays: 2 }],
  ['27', { means: 'try again after 4 days', waitDays: 4 }],
  ['28', { means: 'try again after 6 days', waitDays: 6 }],
  ['29', { means: 'try again after 8 days', waitDays: 8 }],
  ['30', { means: 'try again after 10 days', waitDays: 10 }],
])

// Days after the first decline on which a soft one is tried again.
export const retryDays: readonly number[] = [1, 3, 5, 7]

type Ceiling = Dated & { readonly triesMax: number }

const begun = Temporal.PlainDate.from('2000-01-01')
const caution = 'no figure published; our own caution, the smallest of the others'

// The networks count what follows the first decline of a transaction, we count the first one, too.
const ceilings: Readonly<Partial<Record<CardBrand, readonly Ceiling[]>>> = {
  VI: [
    { from: begun, triesMax: 15, source: caution },
    {
      from: Temporal.PlainDate.from('2021-04-17'),
      triesMax: 16,
      source:
        'Visa system integrity fees: at most 15 reattempts in 30 days (scheme update of Payvision, ' +
        '29 March 2021; knowledge base of Clearent)',
    },
    {
      from: Temporal.PlainDate.from('2025-05-25'),
      triesMax: 21,
      source:
        'Visa: at most 20 reattempts in 30 days (change log of Cielo, for 25 May 2025; merchant ' +
        'communication of Checkout.com, 4 March 2026)',
    },
  ],
  MC: [
    { from: begun, triesMax: 15, source: caution },
    {
      from: Temporal.PlainDate.from('2023-11-01'),
      triesMax: 35,
      source:
        'Mastercard Transaction Processing Excellence: at most 35 declines of one card, merchant and ' +
        'amount in 30 days (network updates of Braintree: United States 1 November 2023, Canada 1 April 2024)',
    },
  ],
}
const usualCeiling: readonly Ceiling[] = [{ from: begun, triesMax: 15, source: caution }]

// How often one instalment may be sent to this network at all. Counted over its whole life, which is never
// less strict than a month.
export function triesMaxOn(brand: CardBrand, on: Temporal.PlainDate): number {
  return rowOn(ceilings[brand] ?? usualCeiling, on)?.triesMax ?? 1
}

type Tried = { readonly tries: number; readonly brand: CardBrand }

// Why nobody may send it once more, whoever asks for it; null while somebody may.
export function triedOut({ tries, brand }: Tried, on: Temporal.PlainDate): string | null {
  return tries < triesMaxOn(brand, on)
    ? null
    : `tried ${tries} times, and ${networkName(brand)} allows no more`
}

export type Decline = {
  readonly code: string
  // Mastercard's advice code; empty for none.
  readonly advice: string
  readonly brand: CardBrand
  readonly on: Temporal.PlainDate
  // This one included.
  readonly tries: number
  // Declines in a row, this one included, and the day of the first.
  readonly declines: number
  readonly firstOn: Temporal.PlainDate
}

export type RetryDecision =
  | { readonly kind: 'retry'; readonly on: Temporal.PlainDate; readonly because: string }
  // Nobody tries again by himself; somebody may ask for it.
  | { readonly kind: 'exhausted'; readonly because: string }
  // Only a new card helps.
  | { readonly kind: 'hard'; readonly because: string }
  // The whole plan ends.
  | { readonly kind: 'stop'; readonly because: string }

export function classOf({ code, advice, brand }: Pick<Decline, 'code' | 'advice' | 'brand'>): RetryClass {
  const is = declineClass(code)
  if (is === 'stopped') return 'stop'
  if (brand === 'MC' && mastercardAdvice.get(advice)?.stops) return 'stop'
  return is === 'hard' ? 'hard' : 'soft'
}

// Pure: what was decided, and the sentence that says why.
export function decideRetry(decline: Decline): RetryDecision {
  const told = toldBy(decline)
  switch (classOf(decline)) {
    case 'stop':
      return { kind: 'stop', because: `${told}: the plan ends` }
    case 'hard':
      return { kind: 'hard', because: `${told}: it is never tried again with this card` }
    case 'soft':
      return decideSoft(decline, told)
  }
}

function decideSoft(decline: Decline, told: string): RetryDecision {
  const { brand, on, tries, declines, firstOn } = decline
  const offset = retryDays[declines - 1]
  if (offset === undefined)
    return { kind: 'exhausted', because: `${told}: all ${retryDays.length} retries are used up` }
  const triesMax = triesMaxOn(brand, on)
  if (tries >= triesMax)
    return { kind: 'exhausted', because: `${told}: ${networkName(brand)} allows ${triesMax} tries` }
  const wait = Math.max(1, adviceOf(decline)?.waitDays ?? 0)
  const day = later(firstOn.add({ days: offset }), on.add({ days: wait }))
  const which = `retry ${declines} of ${retryDays.length}`
  return { kind: 'retry', on: day, because: `${told}: ${which} on ${day.toString()}` }
}

function toldBy(decline: Decline): string {
  const advice = adviceOf(decline)
  return advice
    ? `Declined ${decline.code}, advice ${decline.advice} (${advice.means})`
    : `Declined ${decline.code}`
}

function adviceOf({ brand, advice }: Decline): Advice | null {
  return brand === 'MC' ? (mastercardAdvice.get(advice) ?? null) : null
}

function later(left: Temporal.PlainDate, right: Temporal.PlainDate): Temporal.PlainDate {
  return Temporal.PlainDate.compare(left, right) > 0 ? left : right
}
