import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import { takeTokensToWarnOf, type TokenWarning } from '#capabilities/sessions/token.store.ts'

const daysBefore = [60, 30, 7, 1]

// Warns in the log 60, 30, 7 and 1 day before a token expires: once for each, however many nodes there are.
// A gateway that was down for a while gives the most urgent warning only.
export async function warnOfExpiringTokens(
  needs: Pick<SessionNeeds, 'db' | 'clock' | 'log'>,
): Promise<readonly TokenWarning[]> {
  const warnings = await takeTokensToWarnOf(needs.db, { at: needs.clock.now(), daysBefore })
  for (const { tokenId, accountCode, alias, expiresAt, daysLeft } of warnings) {
    const fields = { tokenId: String(tokenId), accountCode, alias, expiresAt: String(expiresAt) }
    needs.log.warn(
      fields,
      `A token expires within ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}: issue another`,
    )
  }
  return warnings
}
