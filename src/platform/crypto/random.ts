import { randomBytes, randomInt } from 'node:crypto'
import { systemClock } from '#platform/clock.ts'

export function randomHex(bits: number): string {
  return randomBytes(bits / 8).toString('hex')
}

// The first half tells the time, so that an index over such names grows at its end only.
export function timeOrderedHex(bits: number): string {
  const time = systemClock.now().epochMilliseconds.toString(16).padStart(12, '0')
  return time + randomHex(bits - 48)
}

// Twenty letters. No digits, so that it can neither look like a card number nor be mistaken for a key in a
// log.
export function randomLetters(): string {
  return Array.from(randomBytes(20), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
}

export function randomDigits(count: number): string {
  return Array.from({ length: count }, () => randomInt(10)).join('')
}
