import { Type } from 'typebox'
import { type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { type CardExpiry, cardExpiry } from '#kernel/card-expiry.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { Secret } from '#kernel/secret.ts'

// Spec "Recurring consent operations", object ccCardInfo (api_CardInfo2). A track is accepted by name and
// refused, because this gateway takes no swiped cards.
export const CardInfoRequest = Type.Object(
  {
    AccountNumber: WireText(40, 'The card number; blanks and dashes are tolerated.'),
    ExpMonth: Type.Integer({ description: 'Month of expiry, 1 to 12.' }),
    ExpYear: Type.Integer({ description: 'Year of expiry, two or four digits.' }),
    CSV: Type.Optional(
      Type.String({
        maxLength: 4,
        description: 'The security code, also taken as CVV or CVV2; used once and never stored.',
        'x-aliases': ['CVV', 'CVV2'],
      }),
    ),
    Track: Type.Optional(WireText(400, 'Track data; not taken by this gateway.')),
  },
  { title: 'CardInfo' },
)

export type GivenCard = {
  readonly number: CardNumber
  readonly expiry: CardExpiry
  readonly securityCode: Secret | null
}

export function cardFromWire(body: WireOf<typeof CardInfoRequest>): Result<GivenCard, 'invalid_card'> {
  const number = CardNumber.parse(body.AccountNumber)
  if (!number) return invalid('ccCardInfo.AccountNumber is no card number')
  const expiry = cardExpiry(body.ExpMonth, body.ExpYear)
  if (!expiry) return invalid('ccCardInfo.ExpMonth and ccCardInfo.ExpYear are no month and year')
  const code = body.CSV ?? ''
  if (code !== '' && !/^\d{3,4}$/.test(code)) return invalid('ccCardInfo.CSV has three or four digits')
  if (body.Track) return invalid('ccCardInfo.Track is not taken by this gateway')
  return ok({ number, expiry, securityCode: code === '' ? null : new Secret(code) })
}

function invalid(problem: string) {
  return refuse('invalid_card', { problem })
}
