import type { ConsentDetails, ConsentId, NewConsent } from '#capabilities/consents/consent.ts'
import { insertConsent } from '#capabilities/consents/consent.store.ts'
import { finishConsent } from '#capabilities/consents/finish-consent.operation.ts'
import { putUnfinished } from '#capabilities/consents/unfinished-consent.store.ts'
import type { GivenCard } from '#capabilities/wire/card-info.wire.ts'
import type { EngineContext } from '#engine/context.ts'
import { assert } from '#kernel/assert.ts'
import type { Tx } from '#platform/postgres/database.ts'

type StoreNeeds = Pick<EngineContext, 'vault' | 'acquirer' | 'clock'>

// A card that is to be stored, and whose it is.
export type CardWithDetails = {
  readonly card: Omit<GivenCard, 'securityCode'>
  readonly details: ConsentDetails
}

export type ConsentDraft = Omit<NewConsent, 'state' | 'cardId'>

type Pending = {
  readonly given: CardWithDetails
  readonly draft: ConsentDraft
  readonly since: Temporal.Instant
}

// A consent that waits for the issuer's word, with its card.
export async function storePending(
  needs: StoreNeeds,
  tx: Tx,
  { given, draft, since }: Pending,
): Promise<ConsentId> {
  const pending = await storeConsent(needs, tx, { given, draft, state: 'pending' })
  await putUnfinished(tx, pending, since)
  return pending
}

type Storing = Omit<Pending, 'since'> & { readonly state: NewConsent['state'] }

export async function storeConsent(
  needs: StoreNeeds,
  tx: Tx,
  { given, draft, state }: Storing,
): Promise<ConsentId> {
  const { number, expiry } = given.card
  const card = { account: draft.accountId, number, expiry, kind: needs.acquirer.describeCard(number) }
  const [stored] = await needs.vault.storeCards(tx, { cards: [card], at: needs.clock.now() })
  assert(stored, 'a card that is stored comes back')
  return insertConsent(tx, { ...draft, state, cardId: stored.cardId })
}

// The answer is known by now, so nothing may hide it: what cannot be cleaned up at once is left to the task.
export async function finishNowOrLater(
  needs: Pick<EngineContext, 'db' | 'vault' | 'log' | 'clock' | 'accountClock'>,
  unfinished: Parameters<typeof finishConsent>[2],
): Promise<void> {
  try {
    await needs.db.inTransaction((tx) => finishConsent(needs, tx, unfinished))
  } catch (error) {
    needs.log.warn({ err: error }, 'A consent that was not made is cleaned up later')
  }
}
