import { digestOfToken } from '#capabilities/forms/form-token.operation.ts'
import { findByDigest } from '#capabilities/forms/form.store.ts'
import type { Form } from '#capabilities/forms/form.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Secret } from '#kernel/secret.ts'

// The form whose address holds this token; null when there is none.
export function findForm(needs: Pick<EngineContext, 'db' | 'keyRing'>, token: Secret): Promise<Form | null> {
  return findByDigest(needs.db, digestOfToken(needs, token))
}
