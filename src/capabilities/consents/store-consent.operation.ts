import type { ConsentId, ConsentState, NewConsent } from '#capabilities/consents/consent.ts'
import { insertConsent } from '#capabilities/consents/consent.store.ts'
import { finishConsent } from '#capabilities/consents/finish-consent.operation.ts'
import type { GivenCard } from '#capabilities/wire/card-info.wire.ts'
import type { EngineContext } from '#engine/context.ts'
import { assert } from '#kernel/assert.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Needs = Omit<EngineContext, 'keyRing'>

export type ConsentDraft = Omit<NewConsent, 'state' | 'cardId'>

type Storing = {
  readonly card: Pick<GivenCard, 'number' | 'expiry'>
  readonly draft: ConsentDraft
  readonly state: ConsentState
}

// The card into the vault, and the consent that refers to it.
export async function storeConsent(
  needs: Pick<Needs, 'acquirer' | 'vault' | 'clock'>,
  tx: Tx,
  { card: { number, expiry }, draft, state }: Storing,
): Promise<ConsentId> {
  const card = { account: draft.accountId, number, expiry, kind: needs.acquirer.describeCard(number) }
  const [stored] = await needs.vault.storeCards(tx, { cards: [card], at: needs.clock.now() })
  assert(stored, 'a card that is stored comes back')
  return insertConsent(tx, { ...draft, state, cardId: stored.cardId })
}

// The answer is known by now, so nothing may hide it: what cannot be cleaned up at once is left to the task.
export async function finishNowOrLater(
  needs: Pick<Needs, 'db' | 'clock' | 'accountClock' | 'vault' | 'log'>,
  unfinished: Parameters<typeof finishConsent>[2],
): Promise<void> {
  try {
    await needs.db.inTransaction((tx) => finishConsent(needs, tx, unfinished))
  } catch (error) {
    needs.log.warn({ err: error }, 'A consent that was not made is cleaned up later')
  }
}
