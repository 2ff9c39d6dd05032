import { consentId, type ConsentId } from '#capabilities/consents/consent.ts'
import { consentEvent } from '#capabilities/consents/consent-event.ts'
import {
  lockPendingConsents,
  removeUnfinished,
  type Settling,
  settlePendingConsents,
} from '#capabilities/consents/unfinished-consent.store.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { NewEvent } from '#engine/events/event.ts'
import { type Attempt, hasNoEffect } from '#engine/payments/attempt.ts'
import type { Follower, Moved } from '#engine/payments/follower.ts'
import { refuse } from '#kernel/result.ts'

// The consent whose card is being verified: active once the issuer has approved, never made when it has not.
// While the outcome is unknown it stays pending. The card of one that was not made is erased by whoever
// finishes it.
export const newConsentFollower: Follower<null> = {
  name: 'new_consent',
  begin: async (tx, starts) => {
    const pending = await lockPendingConsents(
      tx,
      starts.map(({ attempt, subject }) => ({ account: attempt.accountId, consent: subject })),
    )
    const missed = starts.filter(({ subject }) => !pending.has(subject))
    return new Map(
      missed.map(({ attempt, subject }) => [
        attempt.ref,
        refuse('consent_not_found', { consent: subject }).refusal,
      ]),
    )
  },
  follow: async (tx, moved) => {
    const settlings = moved.flatMap(settlingOf)
    const at = moved[0]?.move.at
    if (settlings.length === 0 || !at) return
    const settled = await settlePendingConsents(tx, settlings, at)
    const isMade = ({ consent, state }: Settling) => state === 'active' && settled.has(consent)
    const made = moved.filter((one) => settlingOf(one).some(isMade))
    await removeUnfinished(
      tx,
      made.map(({ subject }) => subject),
    )
    await appendEvents(tx, made.map(createdEvent), at)
  },
}

// The consent that is made by an attempt, if one is.
export function newConsentOf({ following }: Pick<Attempt, 'following'>): ConsentId | null {
  const followed = following.find(({ follower }) => follower === newConsentFollower.name)
  return followed ? consentId(followed.subject) : null
}

function settlingOf({ move: { attempt, to }, subject }: Moved): readonly Settling[] {
  const key = { account: attempt.accountId, consent: subject }
  if (to === 'approved') return [{ ...key, state: 'active', networkId: attempt.networkId }]
  return hasNoEffect(to) ? [{ ...key, state: 'not_made', networkId: '' }] : []
}

function createdEvent({ move: { attempt }, subject }: Moved): NewEvent {
  const { accountId, merchantNumber, details } = attempt
  return consentEvent('consent.created', {
    accountId,
    merchantNumber,
    consentId: subject,
    lastFour: details.lastFour,
    customerRef: details.clientRef,
    guid: details.guid,
  })
}
