import { setTimeout as delay } from 'node:timers/promises'
import type { EngineContext } from '#engine/context.ts'
import { belongingOf } from '#engine/vault/card-belonging.ts'
import {
  countOutdated,
  findCurrentKey,
  findOutdated,
  forgetKey,
  isKeyUsed,
  lockAndRegisterKey,
  replaceWrappedKeys,
  type WrappedKey,
} from '#engine/vault/card-key.store.ts'
import { registerFirst } from '#engine/vault/current-key.operation.ts'
import type { CardId } from '#engine/vault/vault.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { rewrap } from '#platform/crypto/envelope.ts'
import type { WrappingKey } from '#platform/crypto/wrapping-keys.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'keyRing'>

export type Progress = { readonly version: number; readonly wrapped: number; readonly cards: number }
export type Rotation = {
  readonly version: number
  // An earlier rotation had been interrupted, and this one has ended it.
  readonly isResumed: boolean
  readonly wrapped: number
  readonly unreadable: readonly CardId[]
}

type Options = { readonly onProgress: (progress: Progress) => void; readonly batchSize?: number }

const batchSizeUsual = 500
const pauseMs = 100

// Makes the next version of the card key and wraps the keys of all cards anew, while cards are stored, opened
// and erased. Each batch is complete in itself, so it may be interrupted at any point and run several times
// at once.
export async function rotateCardKeys(needs: Needs, options: Options): Promise<Rotation> {
  const current =
    (await findCurrentKey(needs.db)) ?? (await registerFirst(needs, needs.db, needs.clock.now()))
  const isResumed = (await countOutdated(needs.db, current.version)) > 0n
  const version = isResumed ? current.version : await makeNextVersion(needs, current.version)
  const to = await needs.keyRing.cardKeys.need(version)
  const cards = Number(await countOutdated(needs.db, version))
  let wrapped = 0
  const onBatch = (count: number): void => {
    wrapped += count
    options.onProgress({ version, wrapped, cards })
  }
  const batchSize = options.batchSize ?? batchSizeUsual
  let round = await wrapAll(needs, { to, batchSize, onBatch })
  // What others held or changed at that moment.
  while (round.left > 0) {
    await delay(pauseMs)
    round = await wrapAll(needs, { to, batchSize, onBatch })
  }
  return { version, isResumed, wrapped, unreadable: round.unreadable }
}

// The file is safe on disk before the database speaks of it.
async function makeNextVersion({ db, clock, keyRing }: Needs, current: number): Promise<number> {
  const { version, id } = await keyRing.cardKeys.make(current + 1)
  await db.inTransaction((tx) => lockAndRegisterKey(tx, { version, keyId: id, at: clock.now() }))
  return version
}

type Round = { readonly left: number; readonly unreadable: readonly CardId[] }
type RoundOptions = {
  readonly to: WrappingKey
  readonly batchSize: number
  readonly onBatch: (count: number) => void
}

async function wrapAll(needs: Needs, { to, batchSize, onBatch }: RoundOptions): Promise<Round> {
  const unreadable: CardId[] = []
  let left = 0
  let after: bigint | null = 0n
  while (after !== null) {
    const rows: readonly WrappedKey[] = await findOutdated(needs.db, {
      version: to.version,
      after,
      most: batchSize,
    })
    const batch = await wrapBatch(needs, to, rows)
    unreadable.push(...batch.unreadable)
    left += batch.left
    if (rows.length > 0) onBatch(rows.length - batch.left - batch.unreadable.length)
    after = rows.length < batchSize ? null : (rows.at(-1)?.cardId ?? null)
  }
  return { left, unreadable }
}

async function wrapBatch(
  { db, keyRing }: Needs,
  to: WrappingKey,
  rows: readonly WrappedKey[],
): Promise<Round> {
  if (rows.length === 0) return { left: 0, unreadable: [] }
  await keyRing.cardKeys.load(new Set(rows.map(({ keyVersion }) => keyVersion)))
  const tried = rows.map((row) => {
    const from = keyRing.cardKeys.find(row.keyVersion)
    const wrapped = from && rewrap({ from, to }, belongingOf(keyRing, row), row.wrapped)
    return { cardId: row.cardId, oldVersion: row.keyVersion, wrapped }
  })
  const fresh = tried.flatMap(({ wrapped, ...card }) => (wrapped ? [{ ...card, wrapped }] : []))
  const replaced = await replaceWrappedKeys(db, { version: to.version, fresh })
  const unreadable = tried.filter(({ wrapped }) => !wrapped).map(({ cardId }) => cardId)
  return { left: fresh.length - replaced, unreadable }
}

// Destroys a version that no card uses any more. Backups from the time when cards used it can no longer be
// opened, which is what it is for.
export async function retireCardKey(
  { db, keyRing }: Pick<Needs, 'db' | 'keyRing'>,
  version: number,
): Promise<Result<null, 'key_not_found' | 'key_is_current' | 'key_in_use'>> {
  const current = await findCurrentKey(db)
  if (!current || version > current.version) return refuse('key_not_found')
  if (version === current.version) return refuse('key_is_current')
  // No card can begin to use it: new ones are sealed under the current version only.
  if (await isKeyUsed(db, version)) return refuse('key_in_use')
  const wasRegistered = await forgetKey(db, version)
  const wasThere = await keyRing.cardKeys.destroy(version)
  return wasRegistered || wasThere ? ok(null) : refuse('key_not_found')
}
