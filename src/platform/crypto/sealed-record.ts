import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'

// A record that can be opened only with its key and only where it belongs:
// format (1) | algorithm (1) | key version (4) | nonce (12) | ciphertext | tag (16).

export type Seal = {
  readonly key: KeyObject | Buffer
  // The version of the key, or of the key that wraps it.
  readonly keyVersion: number
  // What the record is for and whose it is. Not stored: whoever opens the record must say the same.
  readonly belonging: readonly string[]
}

const format = 1
const algorithm = 1
const cipherName = 'aes-256-gcm'
const headerLength = 6
const nonceLength = 12
const tagLength = 16
const ciphertextAt = headerLength + nonceLength

export function sealRecord(seal: Seal, plaintext: Buffer): Buffer {
  const header = Buffer.alloc(headerLength)
  header.writeUInt8(format, 0)
  header.writeUInt8(algorithm, 1)
  header.writeUInt32BE(seal.keyVersion, 2)
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv(cipherName, seal.key, nonce, { authTagLength: tagLength })
  cipher.setAAD(associated(seal))
  const ciphertext = cipher.update(plaintext)
  cipher.final()
  return Buffer.concat([header, nonce, ciphertext, cipher.getAuthTag()])
}

// null when the record was changed, stands where it does not belong, or was sealed with another key. No
// byte of the plaintext is given out before all of it is authenticated.
export function openRecord(seal: Seal, record: Buffer): Buffer | null {
  if (versionOfRecord(record) !== seal.keyVersion) return null
  const nonce = record.subarray(headerLength, ciphertextAt)
  const decipher = createDecipheriv(cipherName, seal.key, nonce, { authTagLength: tagLength })
  decipher.setAAD(associated(seal))
  decipher.setAuthTag(record.subarray(-tagLength))
  const plaintext = decipher.update(record.subarray(ciphertextAt, -tagLength))
  try {
    decipher.final()
  } catch {
    plaintext.fill(0)
    return null
  }
  return plaintext
}

// null: no record of ours.
export function versionOfRecord(record: Buffer): number | null {
  if (record.length < ciphertextAt + tagLength) return null
  if (record.readUInt8(0) !== format || record.readUInt8(1) !== algorithm) return null
  return record.readUInt32BE(2)
}

// Every part is preceded by its length in four bytes, so that no two lists of parts read the same.
function associated({ belonging, keyVersion }: Seal): Buffer {
  const parts = [...belonging, String(keyVersion)]
  return associatedInOne(parts) ?? associatedByPart(parts)
}

// In one piece, because every charge opens two records: for parts of at most 127 characters that are single
// bytes all of them, and null otherwise.
function associatedInOne(parts: readonly string[]): Buffer | null {
  let text = ''
  for (const part of parts) {
    if (part.length > 127) return null
    text += `\0\0\0${String.fromCharCode(part.length)}${part}`
  }
  const bytes = Buffer.from(text, 'utf8')
  return bytes.length === text.length ? bytes : null
}

function associatedByPart(parts: readonly string[]): Buffer {
  const lengths = parts.map((part) => Buffer.byteLength(part))
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, 0))
  let at = 0
  parts.forEach((part, place) => {
    at = bytes.writeUInt32BE(lengths[place] ?? 0, at)
    at += bytes.write(part, at)
  })
  return bytes
}
