import { type CardBrand, cardBrandOf } from '#kernel/card-brand.ts'
import { passesLuhn } from '#kernel/luhn.ts'

// A card number that cannot be printed, logged, serialised or put into a string. Only the vault, connectors
// and the digest of an idempotency key reveal it.
export class CardNumber {
  readonly #digits: string

  private constructor(digits: string) {
    this.#digits = digits
  }

  // Blanks and dashes are how people write it. Anything else that is no card number gives null.
  static parse(text: string): CardNumber | null {
    const digits = text.replace(/[ -]/g, '')
    return /^\d{12,19}$/.test(digits) && passesLuhn(digits) ? new CardNumber(digits) : null
  }

  get lastFour(): string {
    return this.#digits.slice(-4)
  }

  get firstSix(): string {
    return this.#digits.slice(0, 6)
  }

  get length(): number {
    return this.#digits.length
  }

  get brand(): CardBrand {
    return cardBrandOf(this.#digits)
  }

  equals(other: CardNumber): boolean {
    return this.#digits === other.#digits
  }

  reveal(): string {
    return this.#digits
  }

  toString(): string {
    return `[card ${this.lastFour}]`
  }

  toJSON(): string {
    return this.toString()
  }

  [Symbol.toPrimitive](): string {
    return this.toString()
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }
}
