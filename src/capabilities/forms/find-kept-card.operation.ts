import type { Consent } from '#capabilities/consents/consent.ts'
import { findConsents } from '#capabilities/consents/find-consent.operation.ts'
import type { Form } from '#capabilities/forms/form.ts'
import type { Queryable } from '#platform/postgres/database.ts'

// The consent that a payer gave by a form, while it holds.
export async function findKeptCard(
  needs: { readonly db: Queryable },
  { accountId, consentId }: Pick<Form, 'accountId' | 'consentId'>,
): Promise<Consent | null> {
  if (consentId === null) return null
  const consent = (await findConsents(needs, accountId, [consentId])).get(consentId)
  return consent?.state === 'active' ? consent : null
}
