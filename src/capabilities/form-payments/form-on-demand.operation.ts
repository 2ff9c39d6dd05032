import { addForm, unmadeForm } from '#capabilities/forms/add-form.operation.ts'
import { type Form, type FormTerms, standingOf } from '#capabilities/forms/form.ts'
import type { SentFields } from '#capabilities/form-payments/read-submission.ts'
import { type FormView, pageKeyOf, showForm } from '#capabilities/form-payments/show-form.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Secret } from '#kernel/secret.ts'

type Needs = Pick<EngineContext, 'db' | 'accountClock' | 'merchantReads' | 'keyRing'>

// A form that has a row only once somebody pays: looking at it changes nothing, however often and whoever
// looks.
export type PlannedForm = FormTerms &
  Pick<Form, 'phone' | 'brands' | 'isAccountOpen'> & { readonly token: Secret; readonly merchant: Merchant }

// It stands alone, and whoever leads to it says until when it can be paid.
const withoutFrame = { origins: [], isExtended: true } as const

export async function showPlanned(
  needs: Needs,
  planned: PlannedForm,
  browser: Secret | null,
): Promise<FormView> {
  const { token, merchant, ...terms } = planned
  const existing = await showForm(needs, { token, browser })
  if (existing) return { ...existing, form: { ...existing.form, ...withoutFrame } }
  const now = needs.accountClock.now(planned.accountId)
  const form = unmadeForm({ ...terms, ...withoutFrame })
  return {
    form,
    merchant,
    standing: standingOf(form, now),
    now,
    attempt: null,
    bankDebit: null,
    keptCard: null,
    order: null,
    isPayingBrowser: false,
    decline: null,
    pageKey: plannedKey(needs, token),
  }
}

// Of all who press the button of a page of ours at once, one makes the row. A page that was loaded before it
// existed is as good as one of its first try.
export async function takePlanned(needs: Needs, planned: PlannedForm, sent: SentFields): Promise<SentFields> {
  const { token, ...terms } = planned
  if (sent.get('k') !== plannedKey(needs, token)) return sent
  await addForm(needs, token, terms)
  const view = await showForm(needs, { token, browser: null })
  if (!view) return sent
  return new Map([...sent, ['k', pageKeyOf(needs, { ...view.form, tries: 0 })]])
}

function plannedKey({ keyRing }: Needs, token: Secret): string {
  return keyRing.keyedDigest('form-page', `planned\n${token.reveal()}`).toString('hex').slice(0, 32)
}
