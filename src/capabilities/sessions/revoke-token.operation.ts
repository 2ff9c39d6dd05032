import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import { endTokenSessions } from '#capabilities/sessions/session.store.ts'
import { type ListedToken, loadTokens, markTokenRevoked } from '#capabilities/sessions/token.store.ts'
import type { AccountId, TokenId } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Needs = Pick<SessionNeeds, 'db' | 'clock'>

// Revokes a token and ends its sessions in one commit. Revoking it again changes nothing.
export async function revokeToken(needs: Needs, token: TokenId): Promise<Result<TokenId, 'token_not_found'>> {
  return needs.db.inTransaction(async (tx) => {
    const account = await markTokenRevoked(tx, token, needs.clock.now())
    if (account === null) return refuse('token_not_found')
    await endTokenSessions(tx, token, account)
    return ok(token)
  })
}

export function listTokens(needs: Pick<Needs, 'db'>, account: AccountId): Promise<readonly ListedToken[]> {
  return loadTokens(needs.db, account)
}
