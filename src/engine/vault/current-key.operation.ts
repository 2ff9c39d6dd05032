import type { EngineContext } from '#engine/context.ts'
import {
  findCurrentKey,
  type RegisteredKey,
  registerFirstKey,
  shareCurrentKey,
} from '#engine/vault/card-key.store.ts'
import { assert } from '#kernel/assert.ts'
import { KeyRingRefused } from '#platform/crypto/key-file.ts'
import type { WrappingKey, WrappingKeys } from '#platform/crypto/wrapping-keys.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'keyRing'>

// The version that every new card is sealed under until the transaction ends, whichever node has made it.
export async function useCurrentKey(needs: Needs, tx: Tx, at: Temporal.Instant): Promise<WrappingKey> {
  const { cardKeys } = needs.keyRing
  const registered = (await shareCurrentKey(tx)) ?? (await registerFirst(needs, tx, at))
  const key = await cardKeys.need(registered.version)
  if (!isSameKey(cardKeys, registered)) throw new KeyRingRefused(otherKey(registered.version))
  return key
}

// A database without cards takes the newest key that it is given.
export async function registerFirst(
  { keyRing }: Needs,
  db: Queryable,
  at: Temporal.Instant,
): Promise<RegisteredKey> {
  const key = await keyRing.cardKeys.need(keyRing.cardKeys.versions.at(-1) ?? 1)
  await registerFirstKey(db, { version: key.version, keyId: key.id, at })
  const registered = await findCurrentKey(db)
  assert(registered, 'a key is registered once it was tried')
  return registered
}

// What a version is called is not enough: sealing under another key of that name would lose the card.
export function isSameKey(keys: WrappingKeys, { version, keyId }: RegisteredKey): boolean {
  return keys.find(version)?.id === keyId
}

export function otherKey(version: number): string {
  return (
    `The card key of version ${version} in KEYS_DIR is not the one that this database was used with. ` +
    'Restore it from your backup.'
  )
}
