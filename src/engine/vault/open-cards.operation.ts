import type { EngineContext } from '#engine/context.ts'
import { belongingOf } from '#engine/vault/card-belonging.ts'
import { cardNumberFrom } from '#engine/vault/card-plaintext.ts'
import { findSealedCards } from '#engine/vault/card.store.ts'
import {
  type CardAtRest,
  type CardId,
  type CardOpening,
  type CardRef,
  CardUnreadable,
} from '#engine/vault/vault.ts'
import { openEnvelope } from '#platform/crypto/envelope.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'keyRing'>

// Opens many cards with one read, in the order of what was asked.
export async function openCards(
  { keyRing }: Needs,
  db: Queryable,
  cards: readonly CardRef[],
): Promise<readonly (CardOpening | null)[]> {
  if (cards.length === 0) return []
  const rows = await findSealedCards(db, cards)
  await keyRing.cardKeys.load(new Set(rows.map(({ keyVersion }) => keyVersion)))
  // One card may be asked for many times; it is opened once.
  const rowById = new Map(rows.map((row) => [row.cardId, row]))
  const openings = new Map<CardId, CardOpening>()
  return cards.map(({ account, cardId }) => {
    const row = rowById.get(cardId)
    if (row?.account !== account) return null
    return openings.getOrInsertComputed(cardId, () => openCard({ keyRing }, row))
  })
}

export async function openCardAtRest({ keyRing }: Needs, card: CardAtRest): Promise<CardOpening> {
  if (!keyRing.cardKeys.find(card.keyVersion)) await keyRing.cardKeys.load([card.keyVersion])
  return openCard({ keyRing }, card)
}

function openCard({ keyRing }: Needs, row: CardAtRest): CardOpening {
  const { cardId, keyVersion, expiry } = row
  const key = keyRing.cardKeys.find(keyVersion)
  if (!key) return unreadable(cardId, keyRing.cardKeys.missing(keyVersion))
  const plaintext = openEnvelope(key, belongingOf(keyRing, row), row)
  const number = plaintext && cardNumberFrom(plaintext)
  plaintext?.fill(0)
  return number
    ? { kind: 'opened', number, expiry }
    : unreadable(cardId, 'it was changed, moved or sealed with another key.')
}

function unreadable(cardId: CardId, reason: string): CardOpening {
  const fault = new CardUnreadable(`The card ${cardId} cannot be opened: ${reason}`)
  return { kind: 'unreadable', fault }
}
