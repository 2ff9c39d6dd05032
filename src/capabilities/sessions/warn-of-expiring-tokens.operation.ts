import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import { takeTokensToWarnOf, type TokenWarning } from '#capabilities/sessions/token.store.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { NewEvent } from '#engine/events/event.ts'
import { printMoment } from '#kernel/calendar.ts'

const daysBefore = [60, 30, 7, 1]

// Warns in the log and by an event 60, 30, 7 and 1 day before a token expires: once for each, however many
// nodes there are.
// A gateway that was down for a while gives the most urgent warning only.
export async function warnOfExpiringTokens(
  needs: Pick<SessionNeeds, 'db' | 'clock' | 'log'>,
): Promise<readonly TokenWarning[]> {
  const at = needs.clock.now()
  const warnings = await needs.db.inTransaction(async (tx) => {
    const taken = await takeTokensToWarnOf(tx, { at, daysBefore })
    await appendEvents(tx, taken.map(eventOf), at)
    return taken
  })
  for (const { tokenId, accountCode, alias, expiresAt, daysLeft } of warnings) {
    const fields = { tokenId: String(tokenId), accountCode, alias, expiresAt: String(expiresAt) }
    needs.log.warn(
      fields,
      `A token expires within ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}: issue another`,
    )
  }
  return warnings
}

function eventOf({ tokenId, accountId, alias, expiresAt, daysLeft }: TokenWarning): NewEvent {
  const body = { alias, expiresAt: printMoment(expiresAt), daysLeft: String(daysLeft) }
  return { accountId, type: 'token.expiring', objectId: tokenId, body }
}
