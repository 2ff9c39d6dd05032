import { sandboxAccountCode } from '#capabilities/sandbox/demo-account.ts'
import type { EngineContext } from '#engine/context.ts'
import { Secret } from '#kernel/secret.ts'

// The token of the demo account. It is derived from the key ring, so that every node of an installation tells
// the same one without storing it.
export function sandboxToken({ keyRing }: Pick<EngineContext, 'keyRing'>): Secret {
  return new Secret(keyRing.keyedDigest('sandbox-token', sandboxAccountCode).toString('hex').slice(0, 32))
}
