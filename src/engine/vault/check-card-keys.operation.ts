import type { EngineContext } from '#engine/context.ts'
import { countCardsByKey, findCurrentKey, type KeyUse } from '#engine/vault/card-key.store.ts'
import { isSameKey, otherKey, registerFirst } from '#engine/vault/current-key.operation.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'keyRing'>

export type CardKeyUse = Omit<KeyUse, 'keyId'> & {
  readonly state: 'current' | 'old' | 'missing' | 'other key'
}

// Every version that this database knows, the oldest first, and whether this node has it.
export async function listCardKeys(needs: Needs): Promise<readonly CardKeyUse[]> {
  const { cardKeys } = needs.keyRing
  const uses = await countCardsByKey(needs.db)
  await cardKeys.load(uses.map(({ version }) => version))
  return uses.map(({ keyId, ...use }, at) => {
    const has = cardKeys.find(use.version) !== null
    const usable = at === uses.length - 1 ? ('current' as const) : ('old' as const)
    if (!has) return { ...use, state: 'missing' }
    return { ...use, state: isSameKey(cardKeys, { version: use.version, keyId }) ? usable : 'other key' }
  })
}

// Whether this database was ever given a card key.
export async function knowsCardKeys({ db }: Pick<Needs, 'db'>): Promise<boolean> {
  return (await findCurrentKey(db)) !== null
}

// Asked when a node starts: one without the keys of the stored cards could neither charge nor keep any.
export async function checkCardKeys(needs: Needs): Promise<Result<null, 'card_key_lost'>> {
  const keys = await listCardKeys(needs)
  if (keys.length === 0) await registerFirst(needs, needs.db, needs.clock.now())
  const lost = keys.find(({ state, cards }, at) => {
    const isNeeded = cards > 0n || at === keys.length - 1
    return isNeeded && (state === 'missing' || state === 'other key')
  })
  if (!lost) return ok(null)
  const { version, state } = lost
  const problem = state === 'missing' ? needs.keyRing.cardKeys.missing(version) : otherKey(version)
  return refuse('card_key_lost', { problem })
}
