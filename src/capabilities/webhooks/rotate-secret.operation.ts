import type { SecretOwner } from '#capabilities/webhooks/endpoint.ts'
import { loadEndpoints } from '#capabilities/webhooks/endpoint.store.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import { replaceSecret } from '#capabilities/webhooks/webhook-secrets.operation.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Secret } from '#kernel/secret.ts'

type Needs = Pick<WebhookNeeds, 'db' | 'clock' | 'keyRing'>

// Makes a new secret, shown this once. The old one signs along for a day, so that receivers can change over.
export async function rotateSecret(
  needs: Needs,
  owner: SecretOwner,
): Promise<Result<Secret, 'webhook_not_found'>> {
  const { accountId, endpointId } = owner
  return needs.db.inTransaction(async (tx) => {
    const active = (await loadEndpoints(tx, accountId)).filter(({ isActive }) => isActive)
    if (endpointId !== null && !active.some((one) => one.endpointId === endpointId))
      return refuse('webhook_not_found')
    return ok(await replaceSecret(needs, tx, owner))
  })
}
