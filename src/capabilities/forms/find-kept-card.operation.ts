import { findConsents } from '#capabilities/consents/find-consent.operation.ts'
import { agreedPlan } from '#capabilities/forms/form-plan.ts'
import type { Form } from '#capabilities/forms/form.ts'
import type { KeptCard } from '#capabilities/payer-words/kept-card.ts'
import type { Queryable } from '#platform/postgres/database.ts'

// The consent that a payer gave by a form, while it holds.
export async function findKeptCard(
  needs: { readonly db: Queryable },
  { accountId, consentId, plan }: Pick<Form, 'accountId' | 'consentId' | 'plan'>,
): Promise<KeptCard | null> {
  if (consentId === null) return null
  const consent = (await findConsents(needs, accountId, [consentId])).get(consentId)
  if (consent?.state !== 'active') return null
  return { ...consent, plan: plan && agreedPlan(plan, consent.startsOn) }
}
