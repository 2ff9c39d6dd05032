import { hash } from 'node:crypto'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { assert } from '#kernel/assert.ts'
import { timeOrderedHex } from '#platform/crypto/random.ts'

// A reference that no other attempt has: fixed before anything is sent, and the only name under which the
// acquirer is ever asked about it.
export function newReference(): AcquirerRef {
  const made = timeOrderedHex(96)
  assert(has24HexDigits(made), 'a reference has 24 hexadecimal digits')
  return made
}

// A reference that follows from what is charged, so that whoever charges the same thing once more, be it a
// copy of this installation, presents the same one and the acquirer knows it.
export function derivedReference(parts: readonly (string | number | bigint)[]): AcquirerRef {
  const made = hash('sha256', parts.join(' ')).slice(0, 24)
  assert(has24HexDigits(made), 'a reference has 24 hexadecimal digits')
  return made
}

function has24HexDigits(text: string): text is AcquirerRef {
  return /^[0-9a-f]{24}$/.test(text)
}
