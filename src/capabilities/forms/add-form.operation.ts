import { digestOfToken } from '#capabilities/forms/form-token.operation.ts'
import { insertForm, noFormId } from '#capabilities/forms/form.store.ts'
import type { Form, FormTerms } from '#capabilities/forms/form.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Secret } from '#kernel/secret.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = { readonly db: Queryable } & Pick<EngineContext, 'keyRing'>

// Makes the form that is found by this token. Whoever comes second with the same one changes nothing.
export function addForm(needs: Needs, token: Secret, terms: FormTerms): Promise<void> {
  return insertForm(needs.db, { ...terms, tokenDigest: digestOfToken(needs, token) })
}

type Unmade = FormTerms & Pick<Form, 'phone' | 'origins' | 'brands' | 'isExtended' | 'isAccountOpen'>

// The same form before it is made, for whoever only looks at it.
export function unmadeForm(terms: Unmade): Form {
  return {
    ...terms,
    formId: noFormId,
    state: 'open',
    tries: 0,
    attemptRef: null,
    consentId: null,
    orderRef: null,
    said: { email: '', receiptEmail: '', language: '', bankAgreement: '', agreedFrom: '' },
    browserDigest: null,
    paidAt: null,
  }
}
