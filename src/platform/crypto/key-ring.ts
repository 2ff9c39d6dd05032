import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Secret } from '#kernel/secret.ts'
import { KeyRingRefused, type Mode, readKeyFile } from '#platform/crypto/key-file.ts'
import { openRecord, sealRecord } from '#platform/crypto/sealed-record.ts'
import { WrappingKeys } from '#platform/crypto/wrapping-keys.ts'
import { writeOnce } from '#platform/crypto/write-once.ts'

export { KeyRingRefused, type Mode }

// The secrets of an installation, shared by all nodes of a database. One random root is stored; keys for
// different purposes are derived from it, so that none can be used, or leak, in place of another. Only the
// keys that wrap card keys stand beside it, because they are replaced from time to time.
export type KeyRing = {
  // Tells rings apart without telling anything about their secret.
  readonly id: string
  readonly mode: Mode
  readonly cardKeys: WrappingKeys
  keyedDigest(purpose: Purpose, text: string): Buffer
  // For what has to be read again, such as the secrets that webhooks are signed with.
  seal(purpose: SealPurpose, belonging: readonly string[], text: Secret): Buffer
  // null when it was changed, or stands where it does not belong.
  unseal(purpose: SealPurpose, belonging: readonly string[], sealed: Buffer): Secret | null
}
// Never renamed: what was digested under a purpose must be found again.
type Purpose =
  | 'token'
  | 'sandbox-token'
  | 'idempotency'
  | 'card-fingerprint'
  | 'card-token'
  | 'card-in-transit'
  | 'bank-file'
  | 'form-token'
  | 'form-page'
  | 'form-transit'
  | 'form-try'
  | 'integrator-key'
  | 'link-code'
  | 'link-answer'
  | 'link-page'
type SealPurpose = 'webhook-secret'

const storedRing = Compile(
  Type.Object({
    format: Type.Literal(1),
    mode: Type.Union([Type.Literal('sandbox'), Type.Literal('live')]),
    root: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  }),
)
type Stored = { readonly format: 1; readonly mode: Mode; readonly root: string }

export const fileName = 'key-ring.json'
// A ring has one root as yet; what is sealed says by which it was.
const rootVersion = 1

// Opens the ring, and makes it at the first start. Two nodes that start at once on one folder end up with
// the same ring.
export async function openKeyRing(folder: string, mode: Mode): Promise<KeyRing> {
  const path = join(folder, fileName)
  const stored = (await readStored(path, mode)) ?? (await makeStored(path, mode))
  return ringFrom(stored, await WrappingKeys.open({ folder, name: 'card-key', mode }))
}

// Opens a ring that was made before. null when it is not there, and then nothing is written.
export async function findKeyRing(
  folder: string,
  mode: Mode,
  { makesCardKey }: { readonly makesCardKey: boolean },
): Promise<KeyRing | null> {
  const stored = await readStored(join(folder, fileName), mode)
  if (!stored) return null
  const place = { folder, name: 'card-key', mode }
  return ringFrom(stored, await (makesCardKey ? WrappingKeys.open(place) : WrappingKeys.find(place)))
}

function readStored(path: string, mode: Mode): Promise<Stored | null> {
  const lossWithout = 'no token can be checked'
  return readKeyFile(path, { what: 'key ring', mode, shape: storedRing, lossWithout })
}

async function makeStored(path: string, mode: Mode): Promise<Stored> {
  const stored: Stored = { format: 1, mode, root: randomBytes(32).toString('hex') }
  if (await writeOnce(path, `${JSON.stringify(stored, null, 2)}\n`)) return stored
  const theirs = await readStored(path, mode)
  if (!theirs) throw new KeyRingRefused(`The key ring ${path} was removed while it was being made.`)
  return theirs
}

function ringFrom({ mode, root }: Stored, cardKeys: WrappingKeys): KeyRing {
  const secret = new Secret(root)
  const derive = (purpose: Purpose | SealPurpose | 'ring-id'): Buffer =>
    Buffer.from(hkdfSync('sha256', Buffer.from(secret.reveal(), 'hex'), 'tillgate', purpose, 32))
  const keys = new Map<string, KeyObject>()
  const keyFor = (purpose: Purpose | SealPurpose): KeyObject =>
    keys.getOrInsertComputed(purpose, () => createSecretKey(derive(purpose)))
  const sealFor = (purpose: SealPurpose, belonging: readonly string[]) => ({
    key: keyFor(purpose),
    keyVersion: rootVersion,
    belonging: [purpose, ...belonging],
  })
  return {
    id: hash('sha256', derive('ring-id')).slice(0, 16),
    mode,
    cardKeys,
    keyedDigest: (purpose, text) => createHmac('sha256', keyFor(purpose)).update(text).digest(),
    seal: (purpose, belonging, text) =>
      sealRecord(sealFor(purpose, belonging), Buffer.from(text.reveal(), 'utf8')),
    unseal: (purpose, belonging, sealed) => {
      const opened = openRecord(sealFor(purpose, belonging), sealed)
      return opened && new Secret(opened.toString('utf8'))
    },
  }
}
