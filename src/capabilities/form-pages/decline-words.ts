import type { DeclineFamily } from '#capabilities/forms/decline-family.ts'
import { takesBank } from '#capabilities/forms/form-price.ts'
import type { Words } from '#capabilities/forms/form-words.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'

// What a payer can do about a decline.
export function declineText(family: DeclineFamily, merchant: Merchant, words: Words): string {
  return family === 'declined' && takesBank(merchant) ? words.declined_bank_text : words[`${family}_text`]
}
