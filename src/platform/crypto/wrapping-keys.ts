import { createHash, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { assert } from '#kernel/assert.ts'
import { KeyRingRefused, type Mode, readKeyFile } from '#platform/crypto/key-file.ts'
import { writeOnce } from '#platform/crypto/write-once.ts'

export type WrappingKey = {
  readonly version: number
  // Tells keys apart without telling anything about them.
  readonly id: string
  // Cannot be printed.
  readonly key: KeyObject
}

type Place = { readonly folder: string; readonly name: string; readonly mode: Mode }

const storedKey = Compile(
  Type.Object({
    format: Type.Literal(1),
    mode: Type.Union([Type.Literal('sandbox'), Type.Literal('live')]),
    version: Type.Integer({ minimum: 1, maximum: 999_999 }),
    key: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  }),
)

type Watcher = { readonly onLost: (problem: string) => void; readonly onFound: () => void }

// Keys that wrap other keys, one file for each version, in a folder that all nodes share. A version that
// another node has made is found when it is first met.
export class WrappingKeys {
  readonly #place: Place
  #keys: ReadonlyMap<number, WrappingKey>
  #look: Promise<void> | null = null
  #watcher: Watcher | null = null
  #isLost = false

  private constructor(place: Place, keys: ReadonlyMap<number, WrappingKey>) {
    this.#place = place
    this.#keys = keys
  }

  // Makes version 1 at the first start.
  static async open(place: Place): Promise<WrappingKeys> {
    const keys = await WrappingKeys.find(place)
    if (keys.versions.length === 0) await keys.make(1)
    return keys
  }

  // Makes nothing: those that are lost are told when they are needed.
  static async find(place: Place): Promise<WrappingKeys> {
    return new WrappingKeys(place, await readAll(place))
  }

  get versions(): readonly number[] {
    return [...this.#keys.keys()].toSorted((a, b) => a - b)
  }

  // Tells once that the folder has lost its keys, and once that it has them again.
  watch(watcher: Watcher): void {
    this.#watcher = watcher
  }

  // What is known by now. null: load it first.
  find(version: number): WrappingKey | null {
    return this.#keys.get(version) ?? null
  }

  // Looks into the folder again if one of these versions is unknown. Those that are not there stay unknown.
  async load(versions: Iterable<number>): Promise<void> {
    for (const version of versions) {
      if (!this.#keys.has(version)) return this.#lookAgain()
    }
  }

  async need(version: number): Promise<WrappingKey> {
    await this.load([version])
    const key = this.find(version)
    if (!key) throw new KeyRingRefused(this.missing(version))
    return key
  }

  // Several nodes that make one version at once end up with the same key.
  async make(version: number): Promise<WrappingKey> {
    const { mode } = this.#place
    const stored = { format: 1, mode, version, key: randomBytes(32).toString('hex') }
    await writeOnce(pathOf(this.#place, version), `${JSON.stringify(stored, null, 2)}\n`)
    return this.need(version)
  }

  // Answers whether there was one.
  async destroy(version: number): Promise<boolean> {
    const key = this.find(version)
    assert(version !== this.versions.at(-1), 'the last key is never destroyed')
    await rm(pathOf(this.#place, version), { force: true })
    await this.#lookAgain()
    return key !== null
  }

  missing(version: number): string {
    return `${pathOf(this.#place, version)} is missing. Restore it from your backup.`
  }

  // Whoever meets an unknown version while somebody is looking waits for the next look, because the file
  // may be newer than this one.
  async #lookAgain(): Promise<void> {
    await this.#look?.catch(() => undefined)
    this.#look ??= this.#readAgain()
    return this.#look
  }

  async #readAgain(): Promise<void> {
    try {
      this.#take(await readAll(this.#place))
    } finally {
      this.#look = null
    }
  }

  // The newest version is never destroyed, so a folder without it is unmounted, emptied or set back. What is
  // known by then opens cards as before, and nobody else may have it any more.
  #take(found: ReadonlyMap<number, WrappingKey>): void {
    const newest = this.versions.at(-1)
    const wasLost = this.#isLost
    this.#isLost = newest !== undefined && Math.max(0, ...found.keys()) < newest
    this.#keys = this.#isLost ? new Map([...found, ...this.#keys]) : found
    if (newest !== undefined && this.#isLost && !wasLost) this.#watcher?.onLost(this.missing(newest))
    if (wasLost && !this.#isLost) this.#watcher?.onFound()
  }
}

function pathOf({ folder, name }: Place, version: number): string {
  return join(folder, `${name}-${String(version).padStart(6, '0')}.json`)
}

async function readAll(place: Place): Promise<ReadonlyMap<number, WrappingKey>> {
  const pattern = new RegExp(`^${place.name}-(\\d{6})\\.json$`)
  const names = existsSync(place.folder) ? await readdir(place.folder) : []
  const versions = names.flatMap((name) => pattern.exec(name)?.[1] ?? []).map(Number)
  const keys = await Promise.all(versions.map((version) => readKey(place, version)))
  return new Map(keys.flatMap((key) => (key ? [[key.version, key]] : [])))
}

// null when it was destroyed a moment ago.
async function readKey(place: Place, version: number): Promise<WrappingKey | null> {
  const path = pathOf(place, version)
  const what = place.name.replaceAll('-', ' ')
  const lossWithout = 'what it wraps cannot be opened'
  const stored = await readKeyFile(path, { what, mode: place.mode, shape: storedKey, lossWithout })
  if (stored && stored.version !== version) {
    throw new KeyRingRefused(`${path} holds version ${stored.version}. Files of keys are never renamed.`)
  }
  return stored && keyFrom(version, Buffer.from(stored.key, 'hex'))
}

function keyFrom(version: number, secret: Buffer): WrappingKey {
  const mark = Buffer.from(hkdfSync('sha256', secret, 'tillgate', 'key-id', 32))
  const id = createHash('sha256').update(mark).digest('hex').slice(0, 16)
  const key = createSecretKey(secret)
  secret.fill(0)
  return { version, id, key }
}
