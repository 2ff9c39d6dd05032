// So many stay together, because a batch has a price of its own.
const togetherMax = 16

// Those who wait for batches of charges, of whatever kind, in a gateway alone. If all of them were in one
// batch, it and its database would work by turns, and everybody wait for the work of all, first here and then
// there. With half of them in each, one has time for some while the other is busy with the rest.
export class BatchCrowd {
  #callers = 0

  // A caller has come.
  enter(): void {
    this.#callers += 1
  }

  // So many have their answers.
  leave(callers: number): void {
    this.#callers -= callers
  }

  // Of a batch that leaves now.
  get sizeMax(): number {
    return Math.max(togetherMax, Math.ceil(this.#callers / 2))
  }
}
