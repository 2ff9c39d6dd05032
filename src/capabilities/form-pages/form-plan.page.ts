import { agreedPlan } from '#capabilities/forms/form-plan.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { planLines, planWords } from '#capabilities/payer-words/plan-words.ts'
import { fill, type Tongue } from '#capabilities/payer-words/tongue.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { type Html, html } from '#kernel/html.ts'

// What a form says on which a payer agrees to a payment plan. All sums and dates are words already.
export type PlanShown = {
  // What is paid for, how much and how often, how many times, and when.
  readonly lines: readonly string[]
  readonly button: string
}

export function planShown({ form, merchant, now }: FormView, tongue: Tongue): PlanShown | null {
  const { plan } = form
  if (!plan) return null
  const lines = planLines(agreedPlan(plan, dateIn(merchant.timeZone, now)), tongue)
  return { lines: [plan.service, ...lines].filter((line) => line !== ''), button: planWords(tongue).button }
}

export function planSummary(plan: PlanShown | null): readonly Html[] {
  return (plan?.lines ?? []).map((line) => html`<p class="about">${line}</p>`)
}

// What a form is for.
export function titleOf({ form, merchant }: Pick<FormView, 'form' | 'merchant'>, tongue: Tongue): string {
  const { words } = tongue
  const name = { merchant: merchant.name }
  if (form.plan) return fill(planWords(tongue).title, name)
  return fill(formOptions(form).pays ? words.pay_to : words.save_to, name)
}
