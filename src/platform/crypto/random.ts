import { randomBytes, randomFillSync, randomInt } from 'node:crypto'
import { systemClock } from '#platform/clock.ts'

// For names, which are no secrets: a call of the generator costs more than many bytes of it, so bytes are
// drawn ahead, and each is given out once.
const store = Buffer.allocUnsafeSlow(4_096)
let given = store.length

function draw<T>(count: number, use: (bytes: Buffer) => T): T {
  if (given + count > store.length) {
    randomFillSync(store)
    given = 0
  }
  const bytes = store.subarray(given, given + count)
  given += count
  return use(bytes)
}

// For secrets: drawn when they are needed.
export function randomHex(bits: number): string {
  return randomBytes(bits / 8).toString('hex')
}

// The first half tells the time, so that an index over such names grows at its end only.
export function timeOrderedHex(bits: number): string {
  const time = systemClock.now().epochMilliseconds.toString(16).padStart(12, '0')
  return time + draw((bits - 48) / 8, toHex)
}

function toHex(bytes: Buffer): string {
  return bytes.toString('hex')
}

// Twenty letters. No digits, so that it can neither look like a card number nor be mistaken for a key in a
// log.
export function randomLetters(): string {
  return draw(20, toLetters)
}

function toLetters(bytes: Buffer): string {
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = 97 + ((bytes[at] ?? 0) % 26)
  return bytes.toString('latin1')
}

export function randomDigits(count: number): string {
  return Array.from({ length: count }, () => randomInt(10)).join('')
}
