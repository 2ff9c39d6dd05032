import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { assert } from '#kernel/assert.ts'
import { timeOrderedHex } from '#platform/crypto/random.ts'

// A reference that no other attempt has: fixed before anything is sent, and the only name under which the
// acquirer is ever asked about it.
export function newReference(): AcquirerRef {
  const made = timeOrderedHex(96)
  assert(isReference(made), 'a reference has 24 hexadecimal digits')
  return made
}

function isReference(text: string): text is AcquirerRef {
  return /^[0-9a-f]{24}$/.test(text)
}
