import type { KeptFor } from '#capabilities/consents/keep-card.operation.ts'
import { termsOfPlan } from '#capabilities/forms/form-plan.ts'
import { type Form, formOptions } from '#capabilities/forms/form.ts'
import { planConsentTerms, planKind } from '#capabilities/recurring/plan-terms.ts'
import { planWriter } from '#capabilities/recurring/write-plan.operation.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'

type PlanForm = Pick<Form, 'accountId' | 'plan' | 'postUrl' | 'masks'>

// What the card of a form is kept for where its payer agrees to a plan; null: for whatever the payer owes.
export function keptForPlan(form: PlanForm, merchant: Merchant, today: Temporal.PlainDate): KeptFor | null {
  const { accountId, plan, postUrl: url } = form
  if (!plan) return null
  const terms = termsOfPlan(plan, today)
  const posting = { url, idsOnly: formOptions(form).idsOnly }
  return {
    kind: planKind(terms),
    terms: planConsentTerms(terms, today),
    alongside: planWriter({ accountId, merchant, terms, posting }),
  }
}
