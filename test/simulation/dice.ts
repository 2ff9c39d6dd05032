// Numbers that follow from a seed and nothing else (mulberry32).
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  // From 0 up to, and without, the limit.
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  happens(perMille: number): boolean {
    return this.below(1_000) < perMille
  }

  oneOf<T>(choices: readonly T[]): T | undefined {
    return choices[this.below(choices.length)]
  }
}
