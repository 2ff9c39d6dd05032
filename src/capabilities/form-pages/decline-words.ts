import type { DeclineFamily } from '#capabilities/form-payments/decline-family.ts'
import { takesBank } from '#capabilities/form-payments/form-price.ts'
import type { Words } from '#capabilities/payer-words/tongue.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'

export type DeclineWords = { readonly title: string; readonly text: string }

// What a payer is told of a decline, and can do about it. The same wherever it is told.
export function declineWords(family: DeclineFamily, merchant: Merchant, words: Words): DeclineWords {
  const text =
    family === 'declined' && takesBank(merchant) ? words.declined_bank_text : words[`${family}_text`]
  return { title: words[family], text }
}
