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
  const newest = await checkNewestCardKey(needs)
  if (!newest.ok) return newest
  const keys = await listCardKeys(needs)
  const lost = keys.find(({ state, cards }) => cards > 0n && (state === 'missing' || state === 'other key'))
  return lost ? cardKeyLost(needs, lost.version, { isMissing: lost.state === 'missing' }) : ok(null)
}

// The same of the newest version alone, wherever an earlier version of ours has kept cards.
export async function checkNewestCardKey(needs: Needs): Promise<Result<null, 'card_key_lost'>> {
  const { cardKeys } = needs.keyRing
  const newest = (await findCurrentKey(needs.db)) ?? (await registerFirst(needs, needs.db, needs.clock.now()))
  await cardKeys.load([newest.version])
  if (isSameKey(cardKeys, newest)) return ok(null)
  return cardKeyLost(needs, newest.version, { isMissing: cardKeys.find(newest.version) === null })
}

function cardKeyLost(
  { keyRing }: Needs,
  version: number,
  { isMissing }: { readonly isMissing: boolean },
): Result<never, 'card_key_lost'> {
  const problem = isMissing ? keyRing.cardKeys.missing(version) : otherKey(version)
  return refuse('card_key_lost', { problem })
}
