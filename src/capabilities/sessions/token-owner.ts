import type { AccountState } from '#engine/merchants/account.ts'
import type { AccountId, ApiUserId, MerchantNumber, TokenId } from '#kernel/ids.ts'

// Whom a token belongs to: an API user of an account.
export type TokenOwner = {
  readonly tokenId: TokenId
  readonly userId: ApiUserId
  readonly accountId: AccountId
  readonly accountCode: string
  readonly accountDescription: string
  readonly accountState: AccountState
  readonly alias: string
  // The only merchant record the token was issued for; null for all.
  readonly merchantNumber: MerchantNumber | null
  readonly tokenDescription: string
  readonly createdBy: string
  readonly createdAt: Temporal.Instant
  readonly changedAt: Temporal.Instant
  readonly expiresAt: Temporal.Instant
}

// The owner as shown to a caller, at one moment.
export type SignedInUser = TokenOwner & { readonly isExpired: boolean; readonly isLockedOut: boolean }

export const tokenLifetime = Temporal.Duration.from({ years: 2 })

export function tokenExpiry(createdAt: Temporal.Instant): Temporal.Instant {
  return createdAt.toZonedDateTimeISO('UTC').add(tokenLifetime).toInstant()
}

// What the keyed digest of a token is made of. With the code inside, a token opens its own account only,
// and looking a pair up costs the same whether the account exists or not.
export function tokenText(accountCode: string, token: string): string {
  return `${accountCode}\n${token.toLowerCase()}`
}
