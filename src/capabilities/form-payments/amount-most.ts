import { amountMaxMinor as achMaxMinor } from '#capabilities/bank-debits/ach-amount.ts'
import { takesBank } from '#capabilities/form-payments/form-price.ts'
import { isPaidByBank, type SentFields } from '#capabilities/form-payments/read-submission.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import type { Money } from '#kernel/money.ts'

// What can be paid at once by the means that the payer chose: a bank account has the network's limit, too.
export function amountMostOf(
  { form, merchant }: Pick<FormView, 'form' | 'merchant'>,
  sent: SentFields,
): Money {
  const { limitPerChargeMinor, currency } = merchant
  const isByBank = isPaidByBank({ takesAch: takesBank(merchant) }, formOptions(form), sent)
  const minor = isByBank && achMaxMinor < limitPerChargeMinor ? achMaxMinor : limitPerChargeMinor
  return { minor, currency }
}
