import { assert } from '#kernel/assert.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { merchantNumber, type MerchantNumber } from '#kernel/ids.ts'

export type DemoCard = {
  // The name under which sandbox.json tells its consent.
  readonly name: DemoCardName
  readonly number: CardNumber
  readonly merchant: MerchantNumber
}
export type DemoCardName = 'visa' | 'mastercard' | 'amex' | 'discover' | 'debit' | 'declining' | 'surcharge'

// Cards on file of each kind. Published test numbers; `declining` is saved without complaint and declines
// charges.
export const demoCards: readonly DemoCard[] = [
  demoCard('visa', '4111111111111111', 1),
  demoCard('mastercard', '5555555555554444', 1),
  demoCard('amex', '378282246310005', 1),
  demoCard('discover', '6011111111111117', 1),
  demoCard('debit', '4000056655665556', 1),
  demoCard('declining', '4000000000000341', 1),
  demoCard('surcharge', '4242424242424242', 2),
]

function demoCard(name: DemoCardName, digits: string, merchant: number): DemoCard {
  const number = CardNumber.parse(digits)
  assert(number, `${name} has a card number`)
  return { name, number, merchant: merchantNumber(merchant) }
}
