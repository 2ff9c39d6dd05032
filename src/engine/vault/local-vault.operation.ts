import type { EngineContext } from '#engine/context.ts'
import { deleteNumbers } from '#engine/vault/bank-account.store.ts'
import { deleteKeysAndNumbers, findShownCards, setCardExpiry } from '#engine/vault/card.store.ts'
import { openBankAccounts, storeBankAccounts } from '#engine/vault/keep-bank-accounts.operation.ts'
import { openCardAtRest, openCards } from '#engine/vault/open-cards.operation.ts'
import { openInTransit, sealInTransit } from '#engine/vault/card-in-transit.operation.ts'
import { fingerprintOf, storeCards } from '#engine/vault/store-cards.operation.ts'
import type { CardRef, StoredCard, Vault } from '#engine/vault/vault.ts'
import type { Queryable } from '#platform/postgres/database.ts'

// The vault inside this process, with the keys of the ring.
export function localVault(needs: Pick<EngineContext, 'keyRing'>): Vault {
  return {
    storeCards: (tx, order) => storeCards(needs, tx, order),
    openCards: (db, cards) => openCards(needs, db, cards),
    open: (card) => openCardAtRest(needs, card),
    describeCards,
    changeExpiry: setCardExpiry,
    // Without its key a card is lost to everybody, ourselves included; the rest goes for good measure.
    eraseCards: (tx, order) => deleteKeysAndNumbers(tx, order),
    cardToken: (card) => cardTokenFor(needs, fingerprintOf(needs, card).toString('hex')),
    cardTokenOf: (fingerprint) => cardTokenFor(needs, fingerprint),
    sealInTransit: (card, purpose) => sealInTransit(needs, card, purpose),
    openInTransit: (sealed, purpose) => openInTransit(needs, sealed, purpose),
    storeBankAccounts: (tx, order) => storeBankAccounts(needs, tx, order),
    openBankAccounts: (db, accounts) => openBankAccounts(needs, db, accounts),
    eraseBankAccounts: (tx, order) => deleteNumbers(tx, order),
  }
}

function cardTokenFor({ keyRing }: Pick<EngineContext, 'keyRing'>, fingerprint: string): string {
  return keyRing.keyedDigest('card-token', fingerprint).toString('hex')
}

async function describeCards(
  db: Queryable,
  cards: readonly CardRef[],
): Promise<readonly (StoredCard | null)[]> {
  const found = new Map((await findShownCards(db, cards)).map((card) => [card.cardId, card]))
  return cards.map(({ account, cardId }) => {
    const card = found.get(cardId)
    return card?.account === account ? card : null
  })
}
