import { randomFillSync } from 'node:crypto'
import { openRecord, sealRecord, versionOfRecord } from '#platform/crypto/sealed-record.ts'
import type { WrappingKey } from '#platform/crypto/wrapping-keys.ts'

// Something sealed under a random key of its own that is used for nothing else, and that key, wrapped.
// Without the wrapped key the rest is noise.
export type Envelope = { readonly sealed: Buffer; readonly wrapped: Buffer }

export type Belonging = {
  // Never renamed: what was sealed for a purpose opens for that purpose only.
  readonly purpose: 'card' | 'bank-account'
  readonly owner: readonly string[]
}

const keyLength = 32
const purposeOfKeys = 'dek'

export function sealEnvelope(wrapping: WrappingKey, belonging: Belonging, plaintext: Buffer): Envelope {
  // Memory of its own rather than of a shared pool, so that it can be wiped.
  const key = randomFillSync(Buffer.allocUnsafeSlow(keyLength))
  try {
    const seal = { key, keyVersion: wrapping.version, belonging: contentOf(belonging) }
    return { sealed: sealRecord(seal, plaintext), wrapped: wrap(wrapping, belonging, key) }
  } finally {
    key.fill(0)
  }
}

// null when either part was changed or does not belong here. The caller wipes what it is given.
export function openEnvelope(
  wrapping: WrappingKey,
  belonging: Belonging,
  { sealed, wrapped }: Envelope,
): Buffer | null {
  const key = unwrap(wrapping, belonging, wrapped)
  // The content keeps the version of the day it was sealed, whatever has wrapped its key since.
  const keyVersion = versionOfRecord(sealed)
  try {
    if (key === null || keyVersion === null) return null
    return openRecord({ key, keyVersion, belonging: contentOf(belonging) }, sealed)
  } finally {
    key?.fill(0)
  }
}

// Wraps the key anew; the content stays as it is. null when the wrapped key cannot be opened.
export function rewrap(
  { from, to }: { readonly from: WrappingKey; readonly to: WrappingKey },
  belonging: Belonging,
  wrapped: Buffer,
): Buffer | null {
  const key = unwrap(from, belonging, wrapped)
  try {
    return key === null ? null : wrap(to, belonging, key)
  } finally {
    key?.fill(0)
  }
}

function wrap(wrapping: WrappingKey, { owner }: Belonging, key: Buffer): Buffer {
  const belonging = [purposeOfKeys, ...owner]
  return sealRecord({ key: wrapping.key, keyVersion: wrapping.version, belonging }, key)
}

function unwrap(wrapping: WrappingKey, { owner }: Belonging, wrapped: Buffer): Buffer | null {
  const belonging = [purposeOfKeys, ...owner]
  const key = openRecord({ key: wrapping.key, keyVersion: wrapping.version, belonging }, wrapped)
  return key?.length === keyLength ? key : null
}

function contentOf({ purpose, owner }: Belonging): readonly string[] {
  return [purpose, ...owner]
}
