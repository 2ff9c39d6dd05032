import type { ConsentKey } from '#capabilities/consents/consent.ts'
import {
  hasOpenAttempts,
  lockUnfinished,
  removeUnfinished,
  settlePendingConsents,
} from '#capabilities/consents/unfinished-consent.store.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'clock' | 'accountClock' | 'vault'>

// What is not resolved by now is in the hands of people, who need no card number.
const cardHoursMax = 72

// Erases the card of a consent that is over, unless an outcome on it is open; then somebody comes back to
// it. A consent that is still pending and without any open attempt was abandoned, so it was never made.
// Answers whether nothing is left to do.
export async function finishConsent(
  needs: Needs,
  tx: Tx,
  { accountId, consentId, since }: ConsentKey & { readonly since: Temporal.Instant },
): Promise<boolean> {
  const found = await lockUnfinished(tx, { accountId, consentId })
  if (!found) return true
  const now = needs.clock.now()
  const isOld = now.since(since).total('hours') >= cardHoursMax
  const isOpen = found.state !== 'active' && (await hasOpenAttempts(tx, { accountId, consentId }))
  if (isOpen && !(isOld && found.state !== 'pending')) return false
  if (found.state === 'pending') {
    const notMade = { account: accountId, consent: consentId, state: 'not_made', networkId: '' } as const
    await settlePendingConsents(tx, [notMade], needs.accountClock.now(accountId))
  }
  if (found.state !== 'active') {
    await needs.vault.eraseCards(tx, { cards: [{ account: accountId, cardId: found.cardId }], at: now })
  }
  await removeUnfinished(tx, [consentId])
  return true
}
