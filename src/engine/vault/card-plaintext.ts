import { CardNumber } from '#kernel/card-number.ts'

// All card numbers have one length once they are sealed: how many digits, and the digits padded to 19.
const digitsMax = 19

export function plaintextOf(number: CardNumber): Buffer {
  const plaintext = Buffer.allocUnsafeSlow(1 + digitsMax)
  plaintext.writeUInt8(number.length, 0)
  plaintext.write(number.reveal().padEnd(digitsMax, '0'), 1, 'latin1')
  return plaintext
}

// null: no card number.
export function cardNumberFrom(plaintext: Buffer): CardNumber | null {
  if (plaintext.length !== 1 + digitsMax) return null
  return CardNumber.parse(plaintext.toString('latin1', 1, 1 + plaintext.readUInt8(0)))
}
