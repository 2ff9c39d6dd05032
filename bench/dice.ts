// Fast and good enough to spread charges over consents.
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 1
  }

  // From 0 to just below 1.
  roll(): number {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state
    return (state >>> 0) / 2 ** 32
  }

  // From 1 to the most.
  upTo(most: number): number {
    return 1 + Math.floor(this.roll() * most)
  }
}
