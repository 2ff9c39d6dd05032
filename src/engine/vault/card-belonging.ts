import type { CardRef } from '#engine/vault/vault.ts'
import type { Belonging } from '#platform/crypto/envelope.ts'
import type { KeyRing } from '#platform/crypto/key-ring.ts'

// A number that was moved to another card, account or installation does not open there.
export function belongingOf({ id }: Pick<KeyRing, 'id'>, { account, cardId }: CardRef): Belonging {
  return { purpose: 'card', owner: [id, String(account), String(cardId)] }
}
