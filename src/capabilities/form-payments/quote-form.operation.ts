import { factsOf } from '#capabilities/form-payments/form-facts.ts'
import { type FormPrice, priceOf } from '#capabilities/form-payments/form-price.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { parseDecimal } from '#kernel/decimal.ts'
import { moneyFromDecimal } from '#kernel/money.ts'

// What paying with this card would cost, so that the payer sees it before pressing anything. null while the
// number or the amount is not whole.
export function quoteForm(
  { acquirer }: Pick<EngineContext, 'acquirer'>,
  view: FormView,
  typed: { readonly number: string; readonly amount: string },
): FormPrice | null {
  const { form, merchant, standing } = view
  const number = CardNumber.parse(typed.number)
  const { pays, fields } = formOptions(form)
  const decimal = parseDecimal(typed.amount)
  const said = decimal && moneyFromDecimal(decimal, form.currency)
  const amount = fields.amount === 'asked' ? said : form.amount
  if (!number || !amount || amount.minor <= 0n || !pays || standing !== 'open') return null
  const card = { brand: number.brand, kind: acquirer.describeCard(number) }
  return priceOf(amount, { merchant, today: factsOf(view).today, card, asked: form.fee })
}
