import { amountMaxMinor as achMaxMinor } from '#capabilities/bank-debits/ach-amount.ts'
import { takesBank } from '#capabilities/form-payments/form-price.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import type { FormPlan } from '#capabilities/forms/form-plan.ts'
import type { FormMasks } from '#capabilities/forms/form-options.ts'
import { formOptions, type FormPayer } from '#capabilities/forms/form.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { Currency } from '#kernel/currency.ts'
import type { Money } from '#kernel/money.ts'

// What a payer's words are judged by.
export type FormFacts = {
  readonly masks: FormMasks
  readonly plan: FormPlan | null
  readonly payer: FormPayer
  readonly amount: Money | null
  readonly currency: Currency
  readonly clientRef: string
  readonly guid: string
  readonly today: Temporal.PlainDate
  // The most that can be paid at once, by each means.
  readonly amountMaxMinor: { readonly card: bigint; readonly bank: bigint }
  readonly takesAch: boolean
  // Card networks that are taken; empty: all.
  readonly brands: readonly CardBrand[]
  // References of the merchant record may look like card numbers.
  readonly hasCardLikeReferences: boolean
  // null: there is no card on file to pay with.
  readonly onFile?: { readonly brand: CardBrand } | null
}

export function factsOf(view: FormView): FormFacts {
  const { form, merchant, now } = view
  return {
    ...form,
    today: dateIn(merchant.timeZone, now),
    amountMaxMinor: amountMaxOf(view),
    hasCardLikeReferences: merchant.cardLikeReferencesReason !== '',
    // A plan is paid by card.
    takesAch: takesBank(merchant) && !form.plan,
  }
}

// An amount that the merchant has fixed was judged by the record's limit when the form was made. A bank
// account has the network's limit, too.
function amountMaxOf({ form, merchant }: FormView): FormFacts['amountMaxMinor'] {
  const fixed = formOptions(form).fields.amount === 'asked' ? null : form.amount
  const card = fixed?.minor ?? merchant.limitPerChargeMinor
  return { card, bank: card < achMaxMinor ? card : achMaxMinor }
}
