import { addKey, disableKey, type IntegratorKey, listKeys } from '#capabilities/forms/form-setting.store.ts'
import type { EngineContext } from '#engine/context.ts'
import type { AccountId } from '#kernel/ids.ts'
import { Secret } from '#kernel/secret.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { randomHex } from '#platform/crypto/random.ts'

type Needs = Pick<EngineContext, 'db' | 'keyRing' | 'accountClock'>

// The key that an integrator reads encrypted values with: 32 bytes as hex. It follows from the key ring and a
// salt, so a copy of the database says nothing about it. A form that was ordered with it keeps it, even if it
// is disabled meanwhile: what was to be encrypted is never sent in the clear.
export async function integratorKey(
  needs: { readonly db: Queryable } & Pick<Needs, 'keyRing'>,
  account: AccountId,
  index: string,
): Promise<Secret | null> {
  const found = (await listKeys(needs.db, account)).find((one) => one.index === index)
  return found ? derive(needs, account, found) : null
}

// Whether new forms may be ordered with it.
export async function hasEnabledKey(
  { db }: { readonly db: Queryable },
  account: AccountId,
  index: string,
): Promise<boolean> {
  return (await listKeys(db, account)).some((one) => one.index === index && one.isEnabled)
}

// By which every account can check what its payers bring back, without having ordered a key.
export function signingKey({ keyRing }: Pick<Needs, 'keyRing'>, account: AccountId): Secret {
  return new Secret(keyRing.keyedDigest('integrator-key', `sign\n${account}`).toString('hex'))
}

// null when the account has such a key already.
export async function addIntegratorKey(
  needs: Needs,
  account: AccountId,
  index: string,
): Promise<Secret | null> {
  const made = { account, index, salt: randomHex(128), at: needs.accountClock.now(account) }
  return (await addKey(needs.db, made)) ? derive(needs, account, made) : null
}

export function listIntegratorKeys(
  { db }: Pick<Needs, 'db'>,
  account: AccountId,
): Promise<readonly IntegratorKey[]> {
  return listKeys(db, account)
}

export function disableIntegratorKey(
  { db }: Pick<Needs, 'db'>,
  account: AccountId,
  index: string,
): Promise<boolean> {
  return disableKey(db, { account, index })
}

function derive(
  { keyRing }: Pick<Needs, 'keyRing'>,
  account: AccountId,
  { index, salt }: Pick<IntegratorKey, 'index' | 'salt'>,
): Secret {
  const text = `encrypt\n${account}\n${salt}\n${index}`
  return new Secret(keyRing.keyedDigest('integrator-key', text).toString('hex'))
}
