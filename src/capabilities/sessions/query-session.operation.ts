import { type Merchant, merchantsFor } from '#engine/merchants/merchant.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import { findTokenOwner } from '#capabilities/sessions/token.store.ts'
import type { SignedInUser } from '#capabilities/sessions/token-owner.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { assert } from '#kernel/assert.ts'
import { ok, type Ok } from '#kernel/result.ts'

export type SessionReport = {
  readonly expiresAt: Temporal.Instant
  readonly user: SignedInUser
  readonly merchants: readonly Merchant[]
}

// Tells a caller who it is, what it may work for, and until when.
export async function querySession(
  needs: Pick<SessionNeeds, 'db' | 'clock' | 'merchantReads'>,
  caller: Caller,
): Promise<Ok<SessionReport>> {
  const [merchants, owner] = await Promise.all([
    listMerchants(needs, caller.accountId),
    findTokenOwner(needs.db, { account: caller.accountId, token: caller.tokenId }),
  ])
  assert(owner, 'a session belongs to a token of its account')
  const isExpired = Temporal.Instant.compare(owner.expiresAt, needs.clock.now()) <= 0
  // A lockout keeps newcomers out; whoever has a session is in.
  const user = { ...owner, isExpired, isLockedOut: false }
  return ok({ expiresAt: caller.expiresAt, user, merchants: merchantsFor(caller, merchants) })
}
