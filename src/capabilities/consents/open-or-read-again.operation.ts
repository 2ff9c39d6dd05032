import type { EngineContext } from '#engine/context.ts'
import type { CardAtRest, CardOpening } from '#engine/vault/vault.ts'

// What was read a moment ago may be sealed with a key that a rotation has destroyed since.
export async function openOrReadAgain(
  { vault, db }: Pick<EngineContext, 'vault' | 'db'>,
  card: CardAtRest,
): Promise<CardOpening | null> {
  const opening = await vault.open(card)
  if (opening.kind === 'opened') return opening
  const [again] = await vault.openCards(db, [card])
  return again ?? null
}
