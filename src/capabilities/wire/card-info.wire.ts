import { Type } from 'typebox'
import { published } from '#capabilities/wire/published.wire.ts'
import { cardNumbers, type WireOf } from '#capabilities/wire/scalars.wire.ts'
import { type CardExpiry, cardExpiry } from '#kernel/card-expiry.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { type CardTrack, readTrack } from '#kernel/card-track.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { Secret } from '#kernel/secret.ts'

// Spec "Recurring consent operations", object ccCardInfo (api_CardInfo2). Number and expiry are typed, or
// come from a track, which is read here and goes no further.
export const CardInfoRequest = Type.Object(
  {
    AccountNumber: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'The card number; blanks and dashes are tolerated. Empty or left out with Track.',
        ...published({ pattern: '^\\s*$|^[\\s-]*(\\d[ -]*){12,19}\\s*$' }),
        ...cardNumbers.allowed,
      }),
    ),
    ExpMonth: Type.Optional(
      Type.Integer({
        description: 'Month of expiry, 1 to 12. Not needed with Track.',
        ...published({ minimum: 0, maximum: 12 }),
      }),
    ),
    ExpYear: Type.Optional(
      Type.Integer({
        description: 'Year of expiry, two or four digits. Not needed with Track.',
        ...published({ minimum: 0, maximum: 2099 }),
      }),
    ),
    CSV: Type.Optional(
      Type.String({
        maxLength: 4,
        description: 'The security code, also taken as CVV or CVV2; used once and never stored.',
        'x-aliases': ['CVV', 'CVV2'],
        ...published({ pattern: '^\\s*(\\d{3,4})?\\s*$' }),
        ...cardNumbers.allowed,
      }),
    ),
    Track: Type.Optional(
      Type.String({
        maxLength: 400,
        description:
          'Track 1 or 2 with its sentinels, or 1 and 2: number and expiry come from it. Never stored.',
        ...cardNumbers.allowed,
      }),
    ),
  },
  { title: 'CardInfo' },
)
export type CardInfo = WireOf<typeof CardInfoRequest>

export type GivenCard = {
  readonly number: CardNumber
  readonly expiry: CardExpiry
  readonly securityCode: Secret | null
}

type CardFault = 'invalid_card' | 'missing_member'

export function cardFromWire(body: CardInfo): Result<GivenCard, CardFault> {
  const read = body.Track ? swipedCard(body, new Secret(body.Track)) : typedCard(body)
  if (!read.ok) return read
  const code = body.CSV ?? ''
  if (code !== '' && !/^\d{3,4}$/.test(code)) return invalid('ccCardInfo.CSV has three or four digits')
  return ok({ ...read.value, securityCode: code === '' ? null : new Secret(code) })
}

// What of a card two requests under one idempotency key are compared by: the number and the expiry, wherever
// they come from. Even a digest of the security code or of the track would be stored authentication data.
export function comparableCard(card: CardInfo): object {
  const { AccountNumber, ExpMonth, ExpYear, Track } = card
  const typed = { AccountNumber, ExpMonth, ExpYear }
  if (!Track) return typed
  const read = swipedCard(card, new Secret(Track))
  // The call is refused, so it must not look like one that was served.
  if (!read.ok) return { ...typed, Track: 'unreadable' }
  const { number, expiry } = read.value
  return { AccountNumber: number.reveal(), ExpMonth: expiry.month, ExpYear: expiry.year }
}

type Typed = Pick<CardInfo, 'AccountNumber' | 'ExpMonth' | 'ExpYear'>

function typedCard(body: Typed): Result<CardTrack, CardFault> {
  const { AccountNumber, ExpMonth, ExpYear } = body
  if (AccountNumber === undefined || ExpMonth === undefined || ExpYear === undefined) {
    const missing = Object.entries({ AccountNumber, ExpMonth, ExpYear }).filter(
      ([, value]) => value === undefined,
    )
    const problem = missing.map(([name]) => `ccCardInfo.${name} is missing`).join('; ')
    return refuse('missing_member', { problem })
  }
  const number = CardNumber.parse(AccountNumber)
  if (!number) return invalid('ccCardInfo.AccountNumber is not a card number')
  const expiry = cardExpiry(ExpMonth, ExpYear)
  return expiry
    ? ok({ number, expiry })
    : invalid('ccCardInfo.ExpMonth and ccCardInfo.ExpYear are not a month and a year')
}

// What is typed beside a track has to be what the track holds, or it is not known which card is meant. Empty
// texts and 0 are what clients send that fill every member.
function swipedCard({ AccountNumber, ExpMonth, ExpYear }: Typed, text: Secret): Result<CardTrack, CardFault> {
  const track = readTrack(text)
  if ('problem' in track) return invalid(`ccCardInfo.Track ${track.problem}`)
  const { number, expiry } = track
  const differing = [
    ...(AccountNumber && !CardNumber.parse(AccountNumber)?.equals(number) ? ['AccountNumber'] : []),
    ...(ExpMonth && ExpMonth !== expiry.month ? ['ExpMonth'] : []),
    ...(ExpYear && cardExpiry(expiry.month, ExpYear)?.year !== expiry.year ? ['ExpYear'] : []),
  ]
  if (differing.length === 0) return ok(track)
  const members = differing.map((name) => `ccCardInfo.${name}`).join(' and ')
  return invalid(`ccCardInfo.Track holds another value than ${members}: send the same, or the track alone`)
}

function invalid(problem: string) {
  return refuse('invalid_card', { problem })
}
