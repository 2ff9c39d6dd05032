// The number of a bank account, which cannot be printed, logged, serialised or put into a string. Only the
// vault and whoever writes the file for the bank reveal it.
export class BankAccountNumber {
  readonly #digits: string

  private constructor(digits: string) {
    this.#digits = digits
  }

  // Blanks and dashes are how people write it. Anything else that is no account number gives null.
  static parse(text: string): BankAccountNumber | null {
    const digits = text.replace(/[ -]/g, '')
    return /^\d{4,17}$/.test(digits) ? new BankAccountNumber(digits) : null
  }

  get lastFour(): string {
    return this.#digits.slice(-4)
  }

  reveal(): string {
    return this.#digits
  }

  toString(): string {
    return `[bank account ${this.lastFour}]`
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
