import { hash } from 'node:crypto'
import { type Merchant, merchantsFor } from '#engine/merchants/merchant.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { networkOf, wideNetworkOf } from '#capabilities/sessions/network.ts'
import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import {
  clearSignInFailures,
  recordSignInFailure,
  recordSignInSuccess,
  type SignInAttempt,
  type SignInFacts,
} from '#capabilities/sessions/sign-in.store.ts'
import { type SignedInUser, type TokenOwner, tokenText } from '#capabilities/sessions/token-owner.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { Secret } from '#kernel/secret.ts'
import { ownNetworkOf } from '#platform/outbound/address-rule.ts'
import { randomHex } from '#platform/crypto/random.ts'

export type Credentials = { readonly accountCode: string; readonly token: Secret }
export type SignedIn = {
  readonly sessionKey: Secret
  readonly expiresAt: Temporal.Instant
  readonly user: SignedInUser
  readonly merchants: readonly Merchant[]
}
type SignInRefusal = 'wrong_credentials' | 'token_expired' | 'account_closed' | 'locked_out' | 'rate_limited'

const sessionLifetime = Temporal.Duration.from({ hours: 25 })

// Exchanges an account code and a token for a session key. An unknown code and a wrong token take the same
// path and the same time; only the holder of the right token learns that it has expired or that the account
// is locked out.
export async function authenticate(
  needs: SessionNeeds,
  visitor: { readonly address: string },
  { accountCode, token }: Credentials,
): Promise<Result<SignedIn, SignInRefusal, SignedInUser>> {
  const attempt: SignInAttempt = {
    digest: needs.keyRing.keyedDigest('token', tokenText(accountCode, token.reveal())),
    accountCode,
    network: networkOf(visitor.address),
    wideNetwork: wideNetworkOf(visitor.address),
    owner: ownNetworkOf(visitor.address),
    address: visitor.address,
    at: needs.clock.now(),
  }
  const facts = await needs.signInReads.add(attempt)
  if (isOverRate(needs, facts)) return refuse('rate_limited', { seconds: secondsLeftInMinute(attempt.at) })
  if (!facts.owner) {
    const isNewlyLocked = await recordSignInFailure(needs.db, attempt)
    if (isNewlyLocked) tellLockout(needs, attempt)
    return refuse('wrong_credentials')
  }
  const user = userAt(facts.owner, facts, attempt.at)
  if (user.isLockedOut) return refuse('locked_out', {}, user)
  if (user.accountState === 'closed') return refuse('account_closed')
  if (user.isExpired)
    return refuse('token_expired', { expiredOn: user.expiresAt.toString().slice(0, 10) }, user)
  const signedIn = await startSession(needs, { user, attempt, facts })
  // Locked or revoked in this very moment; the next try is told which.
  return signedIn ? ok(signedIn) : refuse('wrong_credentials')
}

async function startSession(
  needs: SessionNeeds,
  { user, attempt, facts }: { user: SignedInUser; attempt: SignInAttempt; facts: SignInFacts },
): Promise<SignedIn | null> {
  const sessionKey = new Secret(randomHex(256))
  const expiresAt = attempt.at.add(sessionLifetime)
  const session = {
    digest: Buffer.from(digestOfSessionKey(sessionKey), 'hex'),
    tokenId: user.tokenId,
    address: attempt.address,
    createdAt: attempt.at,
    expiresAt,
  }
  const [merchants, isMade] = await Promise.all([
    listMerchants(needs, user.accountId),
    needs.newSessions.add(session),
    facts.hasFailures ? clearSignInFailures(needs.db, attempt) : null,
    facts.isNetworkNoted ? null : recordSignInSuccess(needs.db, attempt),
  ])
  return isMade ? { sessionKey, expiresAt, user, merchants: merchantsFor(user, merchants) } : null
}

// An operator sees who is kept out, and how to let them in.
function tellLockout({ log }: SessionNeeds, { accountCode, network }: SignInAttempt): void {
  log.warn({ accountCode, network }, 'Locked out after failed sign-ins; tillgate account unlock ends it')
}

// In hexadecimal digits: every call is looked up in a memory by it, and a Buffer costs three times as much.
export function digestOfSessionKey(sessionKey: Secret): string {
  return hash('sha256', sessionKey.reveal(), 'hex')
}

function userAt(owner: TokenOwner, { isLockedOut }: SignInFacts, at: Temporal.Instant): SignedInUser {
  return {
    ...owner,
    isExpired: Temporal.Instant.compare(owner.expiresAt, at) <= 0,
    isLockedOut: isLockedOut || owner.accountState === 'locked',
  }
}

function isOverRate({ failedSignInsPerMinute }: SessionNeeds, { failuresThisMinute }: SignInFacts): boolean {
  return failedSignInsPerMinute !== null && failuresThisMinute >= failedSignInsPerMinute
}

function secondsLeftInMinute(at: Temporal.Instant): number {
  return 60 - at.toZonedDateTimeISO('UTC').second
}
