import {
  claimKeys,
  findKey,
  insertNewKeys,
  type KeyClaim,
  releaseKeys,
} from '#engine/idempotency/idempotency.store.ts'
import type { LedTo } from '#engine/idempotency/led-to.ts'
import type { CallerKey, NewAttempt } from '#engine/payments/attempt.ts'
import type { AccountId } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

export { isKeyTaken } from '#engine/idempotency/idempotency.store.ts'

// Part of T1. Answers the attempts that may go on: those without a key, and those that got theirs.
export async function claimCallerKeys(
  tx: Tx,
  news: readonly NewAttempt[],
  at: Temporal.Instant,
): Promise<readonly NewAttempt[]> {
  const claims = claimsOf(news)
  if (claims.length === 0) return news
  const claimed = await claimKeys(tx, claims, at)
  return news.filter(({ callerKey, ref }) => callerKey === null || claimed.has(ref))
}

// The same where all keys are believed to be new. Where one is not, nothing of the transaction may be kept.
export async function claimNewKeys(
  tx: Tx,
  news: readonly NewAttempt[],
  at: Temporal.Instant,
): Promise<readonly NewAttempt[]> {
  const claims = claimsOf(news)
  if (claims.length > 0) await insertNewKeys(tx, claims, at)
  return news
}

type CallClaim = {
  readonly account: AccountId
  readonly callerKey: CallerKey
  readonly made: Exclude<LedTo, { kind: 'attempt' }>
}

// For calls that make something else than an attempt, such as a batch. Answers whether they got their key.
export async function claimCallKey(
  tx: Tx,
  { account, callerKey, made }: CallClaim,
  at: Temporal.Instant,
): Promise<boolean> {
  const claimed = await claimKeys(tx, [{ account, ...callerKey, ledTo: made }], at)
  return claimed.size > 0
}

// A refusal does not use the key up.
export async function releaseCallerKeys(tx: Tx, refused: readonly NewAttempt[]): Promise<void> {
  const claims = claimsOf(refused)
  if (claims.length > 0) await releaseKeys(tx, claims)
}

function claimsOf(attempts: readonly NewAttempt[]): readonly KeyClaim[] {
  return attempts.flatMap(claimOf)
}

function claimOf({ accountId, callerKey, ref }: NewAttempt): readonly KeyClaim[] {
  return callerKey ? [{ account: accountId, ...callerKey, ledTo: { kind: 'attempt', ref } }] : []
}

export async function releaseCallKey(tx: Tx, { account, callerKey, made }: CallClaim): Promise<void> {
  await releaseKeys(tx, [{ account, ...callerKey, ledTo: made }])
}

type Asked = {
  readonly account: AccountId
  readonly operation: string
  readonly key: string
  readonly fingerprint: Buffer
}

// What happened under this key before; null: nothing.
export async function findEarlier(db: Queryable, asked: Asked): Promise<Result<LedTo | null, 'key_reused'>> {
  const found = await findKey(db, asked)
  if (!found) return ok(null)
  return found.fingerprint.equals(asked.fingerprint) ? ok(found.ledTo) : refuse('key_reused')
}
