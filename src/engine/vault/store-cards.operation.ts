import type { EngineContext } from '#engine/context.ts'
import { belongingOf } from '#engine/vault/card-belonging.ts'
import { plaintextOf } from '#engine/vault/card-plaintext.ts'
import { drawCardIds, insertCards, type SealedCard } from '#engine/vault/card.store.ts'
import { useCurrentKey } from '#engine/vault/current-key.operation.ts'
import type { CardId, NewCard, StoredCard } from '#engine/vault/vault.ts'
import { assert } from '#kernel/assert.ts'
import { sealEnvelope } from '#platform/crypto/envelope.ts'
import type { KeyRing } from '#platform/crypto/key-ring.ts'
import type { WrappingKey } from '#platform/crypto/wrapping-keys.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'keyRing'>
type Storing = { readonly cards: readonly NewCard[]; readonly at: Temporal.Instant }

// Seals each card under a key of its own and stores them all with two trips to the database.
export async function storeCards(
  { keyRing }: Needs,
  tx: Tx,
  storing: Storing,
): Promise<readonly StoredCard[]> {
  const { cards, at } = storing
  if (cards.length === 0) return []
  const [key, cardIds] = await Promise.all([
    useCurrentKey({ keyRing }, tx, at),
    drawCardIds(tx, cards.length),
  ])
  const sealed = cards.map((card, place) => {
    const cardId = cardIds[place]
    assert(cardId !== undefined, 'as many ids are drawn as there are cards')
    return sealCard({ keyRing, key }, card, cardId)
  })
  const stored = await insertCards(tx, { cards: sealed, keyVersion: key.version, at })
  return cardIds.map((cardId) => {
    const card = stored.get(cardId)
    assert(card, 'every card that was inserted comes back')
    return card
  })
}

type Keys = { readonly keyRing: KeyRing; readonly key: WrappingKey }

function sealCard({ keyRing, key }: Keys, card: NewCard, cardId: CardId): SealedCard {
  const { account, number } = card
  const plaintext = plaintextOf(number)
  try {
    const belonging = belongingOf(keyRing, { account, cardId })
    const { sealed, wrapped } = sealEnvelope(key, belonging, plaintext)
    return { ...card, cardId, sealed, wrapped, fingerprint: fingerprintOf({ keyRing }, card) }
  } finally {
    plaintext.fill(0)
  }
}

// Equal for the same card within an account; says nothing across accounts.
export function fingerprintOf(
  { keyRing }: Needs,
  { account, number }: Pick<NewCard, 'account' | 'number'>,
): Buffer {
  return keyRing.keyedDigest('card-fingerprint', `${account}:${number.reveal()}`)
}
