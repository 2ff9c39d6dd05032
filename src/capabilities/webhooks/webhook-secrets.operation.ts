import type { SecretOwner } from '#capabilities/webhooks/endpoint.ts'
import {
  insertSecret,
  loadSecretsAt,
  loadValidSecrets,
  retireSecrets,
} from '#capabilities/webhooks/secret.store.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import { assert } from '#kernel/assert.ts'
import type { Secret } from '#kernel/secret.ts'
import {
  checkWebhook,
  newWebhookSecret,
  type ReceivedWebhook,
  type SignatureCheck,
} from '#platform/crypto/standard-webhooks.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

type Needs = Pick<WebhookNeeds, 'keyRing' | 'clock'>

// How long a replaced secret signs along.
const overlapHours = 24

// Answers the new secret, which is shown this once.
export async function replaceSecret(needs: Needs, tx: Tx, owner: SecretOwner): Promise<Secret> {
  const at = needs.clock.now()
  await retireSecrets(tx, owner, { at, until: at.add({ hours: overlapHours }) })
  const secret = newWebhookSecret()
  await insertSecret(tx, owner, { sealed: seal(needs, owner, secret), at })
  return secret
}

// The secrets that sign now, the newest first. An account that never asked for one has one nonetheless.
export async function secretsOf(needs: Needs, db: Queryable, owner: SecretOwner): Promise<readonly Secret[]> {
  const at = needs.clock.now()
  const stored = await loadValidSecrets(db, owner, at)
  if (stored.length > 0) return stored.map((sealed) => unseal(needs, owner, sealed))
  await insertSecret(db, owner, { sealed: seal(needs, owner, newWebhookSecret()), at })
  return (await loadValidSecrets(db, owner, at)).map((sealed) => unseal(needs, owner, sealed))
}

export type Signer = SecretOwner & { readonly check: SignatureCheck }

// What every secret says that could have signed what came to an address with this part.
export async function checkWithAllSecrets(
  needs: Needs & Pick<WebhookNeeds, 'db'>,
  addressPart: string,
  received: ReceivedWebhook,
): Promise<readonly Signer[]> {
  const at = needs.clock.now()
  const nowS = Math.floor(at.epochMilliseconds / 1_000)
  const candidates = await loadSecretsAt(needs.db, addressPart, at)
  return candidates.map(({ sealed, ...owner }) => ({
    ...owner,
    check: checkWebhook(unseal(needs, owner, sealed), received, nowS),
  }))
}

function seal({ keyRing }: Needs, owner: SecretOwner, secret: Secret): Buffer {
  return keyRing.seal('webhook-secret', belongingOf(owner), secret)
}

function unseal({ keyRing }: Needs, owner: SecretOwner, sealed: Buffer): Secret {
  const secret = keyRing.unseal('webhook-secret', belongingOf(owner), sealed)
  assert(secret, 'a webhook secret opens with the key ring of its database')
  return secret
}

function belongingOf({ accountId, endpointId }: SecretOwner): readonly string[] {
  return [String(accountId), endpointId === null ? 'account' : String(endpointId)]
}
