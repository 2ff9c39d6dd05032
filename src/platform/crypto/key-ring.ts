import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Secret } from '#kernel/secret.ts'
import { readStrictJson } from '#kernel/strict-json.ts'

// The secrets of an installation, shared by all nodes of a database. One random root is stored; keys for
// different purposes are derived from it, so that none can be used, or leak, in place of another.
export type KeyRing = {
  // Tells rings apart without telling anything about their secret.
  readonly id: string
  readonly mode: Mode
  keyedDigest(purpose: Purpose, text: string): Buffer
}
export type Mode = 'sandbox' | 'live'
// Never renamed: what was digested under a purpose must be found again.
type Purpose = 'token' | 'sandbox-token'

const storedRing = Compile(
  Type.Object({
    format: Type.Literal(1),
    mode: Type.Union([Type.Literal('sandbox'), Type.Literal('live')]),
    root: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  }),
)
type Stored = { readonly format: 1; readonly mode: Mode; readonly root: string }

export class KeyRingRefused extends Error {
  override readonly name = 'KeyRingRefused'
}

const fileName = 'key-ring.json'

// Opens the ring, and makes it at the first start. Two nodes that start at once on one folder end up with
// the same ring.
export async function openKeyRing(folder: string, mode: Mode): Promise<KeyRing> {
  const path = join(folder, fileName)
  const stored = (await readStored(path)) ?? (await makeStored(folder, path, mode))
  if (stored.mode !== mode) {
    throw new KeyRingRefused(
      `The key ring in ${path} was made for ${stored.mode} mode and is never used in ${mode} mode. Set KEYS_DIR to another folder.`,
    )
  }
  return ringFrom(stored)
}

async function readStored(path: string): Promise<Stored | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new KeyRingRefused(`The key ring ${path} cannot be read.`, { cause: error })
  }
  return parseStored(text) ?? damaged(path)
}

function parseStored(text: string): Stored | null {
  const read = readStrictJson(text)
  return read.ok && storedRing.Check(read.value) ? read.value : null
}

function damaged(path: string): never {
  throw new KeyRingRefused(
    `The key ring ${path} is damaged. Restore it from your backup; without it no token can be checked.`,
  )
}

async function makeStored(folder: string, path: string, mode: Mode): Promise<Stored> {
  const stored: Stored = { format: 1, mode, root: randomBytes(32).toString('hex') }
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(draft, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flush: true })
  try {
    // A link appears whole or not at all, and fails if another node was first.
    await link(draft, path)
  } catch (error) {
    const theirs = await readStored(path)
    if (theirs) return theirs
    throw error
  } finally {
    await rm(draft, { force: true })
  }
  return stored
}

function ringFrom({ mode, root }: Stored): KeyRing {
  const secret = new Secret(root)
  const keys = new Map<string, Buffer>()
  const keyFor = (purpose: Purpose | 'ring-id'): Buffer =>
    keys.getOrInsertComputed(purpose, () =>
      Buffer.from(hkdfSync('sha256', Buffer.from(secret.reveal(), 'hex'), 'tillgate', purpose, 32)),
    )
  return {
    id: createHash('sha256').update(keyFor('ring-id')).digest('hex').slice(0, 16),
    mode,
    keyedDigest: (purpose, text) => createHmac('sha256', keyFor(purpose)).update(text).digest(),
  }
}
