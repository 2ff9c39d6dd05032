import type { Account } from '#engine/merchants/account.ts'
import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import { countValidTokens, insertToken, lockOrMakeUser } from '#capabilities/sessions/token.store.ts'
import { tokenExpiry, tokenText } from '#capabilities/sessions/token-owner.ts'
import type { MerchantNumber, TokenId } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { Secret } from '#kernel/secret.ts'
import { randomHex } from '#platform/crypto/random.ts'

type Needs = Pick<SessionNeeds, 'db' | 'clock' | 'keyRing'>

export type TokenWish = {
  readonly account: Account
  // Names the API user; a second token for the same user lets it exchange the first without a gap.
  readonly alias: string
  readonly merchant: MerchantNumber | null
  readonly description: string
  readonly issuer: string
  // The sandbox derives its token from the key ring, so that every node tells the same one.
  readonly token?: Secret
}
export type IssuedToken = {
  readonly tokenId: TokenId
  readonly token: Secret
  readonly expiresAt: Temporal.Instant
}
type TokenRefusal = 'account_closed' | 'two_tokens_valid' | 'user_works_elsewhere' | 'token_exists'

const validTokensMax = 2

// Issues a token to an API user of the account, and makes the user if there is none of that name. The token
// is shown once and stored as a keyed digest only.
export async function issueToken(needs: Needs, wish: TokenWish): Promise<Result<IssuedToken, TokenRefusal>> {
  const { account, alias, merchant, description, issuer } = wish
  if (account.state === 'closed') return refuse('account_closed')
  const at = needs.clock.now()
  const token = wish.token ?? new Secret(randomHex(128))
  const digest = needs.keyRing.keyedDigest('token', tokenText(account.accountCode, token.reveal()))
  const expiresAt = tokenExpiry(at)
  return needs.db.inTransaction(async (tx) => {
    const user = await lockOrMakeUser(tx, {
      account: account.accountId,
      alias,
      merchant,
      createdBy: issuer,
      at,
    })
    if (user.merchant !== merchant) return refuse('user_works_elsewhere')
    if ((await countValidTokens(tx, user.userId, at)) >= validTokensMax) return refuse('two_tokens_valid')
    const made = { user: user.userId, digest, description, createdBy: issuer, createdAt: at, expiresAt }
    const tokenId = await insertToken(tx, made)
    return tokenId === null ? refuse('token_exists') : ok({ tokenId, token, expiresAt })
  })
}
