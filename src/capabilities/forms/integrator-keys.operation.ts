import {
  addKey,
  disableKey,
  type IntegratorKey,
  listKeys,
  putSalt,
} from '#capabilities/forms/form-setting.store.ts'
import type { EngineContext } from '#engine/context.ts'
import { assert } from '#kernel/assert.ts'
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

// The signing key has its salt beside those of integrators, under a name that none of them can have.
const signing = ''

// By which every account can check what its payers bring back, without having ordered a key.
export async function signingKey(
  { db, keyRing }: { readonly db: Queryable } & Pick<Needs, 'keyRing'>,
  account: AccountId,
): Promise<Secret> {
  const salt = (await listKeys(db, account)).find(({ index }) => index === signing)?.salt
  const text = salt === undefined ? `sign\n${account}` : `sign\n${account}\n${salt}`
  return new Secret(keyRing.keyedDigest('integrator-key', text).toString('hex'))
}

// From now on another key signs; whoever checks with the old one is told nothing true any more.
export async function rotateSigningKey(needs: Needs, account: AccountId): Promise<Secret> {
  const at = needs.accountClock.now(account)
  await putSalt(needs.db, { account, index: signing, salt: randomHex(128), at })
  return signingKey(needs, account)
}

export type FirstKey = { readonly index: string; readonly key: Secret }

// The key that every account begins with. Made where there is none, else found: all nodes answer the same.
export async function firstIntegratorKey(
  needs: Omit<Needs, 'db'> & { readonly db: Queryable },
  account: AccountId,
): Promise<FirstKey> {
  const index = needs.keyRing.mode === 'sandbox' ? '300' : '1'
  const key = (await addIntegratorKey(needs, account, index)) ?? (await integratorKey(needs, account, index))
  assert(key, 'the first key of an account is there')
  return { index, key }
}

// null when the account has such a key already.
export async function addIntegratorKey(
  needs: Omit<Needs, 'db'> & { readonly db: Queryable },
  account: AccountId,
  index: string,
): Promise<Secret | null> {
  assert(index !== signing, 'a key of an integrator has a name')
  const made = { account, index, salt: randomHex(128), at: needs.accountClock.now(account) }
  return (await addKey(needs.db, made)) ? derive(needs, account, made) : null
}

export async function listIntegratorKeys(
  { db }: Pick<Needs, 'db'>,
  account: AccountId,
): Promise<readonly IntegratorKey[]> {
  const keys = await listKeys(db, account)
  return keys.filter(({ index }) => index !== signing)
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
