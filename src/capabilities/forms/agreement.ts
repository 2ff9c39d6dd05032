import type { ConsentTerms } from '#capabilities/consents/consent.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { printMoney } from '#kernel/money.ts'

type Saving = { readonly merchant: Merchant; readonly terms: ConsentTerms }

// What a payer agrees to by saving a card, word for word as it is stored with the consent.
export function savingWords({ merchant, terms }: Saving): string {
  const { currency } = merchant
  const { limitPerCharge, limitLifetime, endsOn } = terms
  return [
    `I allow ${merchant.name} to keep this card and to charge it later for what I owe them.`,
    `A charge is at most ${printMoney(limitPerCharge)} ${currency}, all charges together at most`,
    `${printMoney(limitLifetime)} ${currency}, and the last is made by ${endsOn.toString()}.`,
    `I can end this at any time by telling ${merchant.name}; my card number is then erased.`,
  ].join(' ')
}
