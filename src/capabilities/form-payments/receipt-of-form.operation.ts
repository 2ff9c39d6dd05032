import { formOptions } from '#capabilities/forms/form.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import type { Tongue } from '#capabilities/payer-words/tongue.ts'
import { generateReceipt } from '#capabilities/receipts/generate-receipt.operation.ts'
import type { EngineContext } from '#engine/context.ts'

type Needs = Pick<EngineContext, 'db' | 'accountClock' | 'merchantReads' | 'keyRing'>

// The receipt of a paid form, for the browser that paid; null for everybody else.
export async function receiptOfForm(needs: Needs, view: FormView, tongue: Tongue): Promise<string | null> {
  const { form, attempt, standing, isPayingBrowser } = view
  if (standing !== 'paid' || !isPayingBrowser || !attempt || !formOptions(form).pays) return null
  const type = attempt.kind === 'bank_debit' ? 7 : 1
  const isBoth = formOptions(form).ending === 'both_receipts'
  const copies = isBoth ? (['merchant', 'customer'] as const) : (['customer'] as const)
  const reader = { accountId: form.accountId, merchantNumber: form.merchantNumber }
  const receipt = await generateReceipt(needs, reader, { type, subject: attempt.attemptId, copies, tongue })
  return receipt.ok ? receipt.value : null
}
