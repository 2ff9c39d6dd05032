import type { CallerKey } from '#engine/payments/attempt.ts'
import type { AccountId, ApiUserId, MerchantNumber, TokenId } from '#kernel/ids.ts'

// Somebody who has not shown a session key.
export type Visitor = { readonly address: string }

// Somebody who has: every store function is limited to this account.
export type Caller = Visitor & {
  readonly accountId: AccountId
  readonly userId: ApiUserId
  readonly tokenId: TokenId
  // The only merchant record this caller may work for; null for all.
  readonly merchantNumber: MerchantNumber | null
  // Settings of the account that decide what a call may do.
  readonly allowsPartialApprovals: boolean
  readonly allowsAlternateMerchants: boolean
  readonly verifiesCards: boolean
  // The zone of record 1, for moments that are written without one.
  readonly timeZone: string
  readonly sessionDigest: Buffer
  readonly expiresAt: Temporal.Instant
  // Under which this very call can be sent again without being done again; null when the caller gave none.
  readonly callerKey: CallerKey | null
  // Whether the caller is still there to hear the answer; asked of those without a key.
  readonly isWaiting?: () => boolean
}
