export type ShareQueueOptions<Item, Answer> = {
  // Answers in the order of the items.
  readonly run: (items: readonly Item[]) => Promise<readonly Answer[]>
  // Items with the same key never travel together.
  readonly keyOf: (item: Item) => string
  readonly sizeMax: number
}

type Waiting<Item, Answer> = {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (reason: unknown) => void
}

// Lets requests that come in at the same time share one write: sends at once when idle, collects while busy.
// A write that fails fails for all who shared it: nobody can say which of them were written.
export class ShareQueue<Item, Answer> {
  readonly #options: ShareQueueOptions<Item, Answer>
  #queue: Waiting<Item, Answer>[] = []
  #isBusy = false

  constructor(options: ShareQueueOptions<Item, Answer>) {
    this.#options = options
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject })
      if (!this.#isBusy) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#isBusy = true
    while (this.#queue.length > 0) await this.#send(this.#take())
    this.#isBusy = false
  }

  async #send(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.#options.run(batch.map(({ item }) => item))
      for (const [at, answer] of answers.entries()) batch[at]?.resolve(answer)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  #take(): readonly Waiting<Item, Answer>[] {
    const { keyOf, sizeMax } = this.#options
    const batch: Waiting<Item, Answer>[] = []
    const later: Waiting<Item, Answer>[] = []
    const keys = new Set<string>()
    for (const waiting of this.#queue) {
      const key = keyOf(waiting.item)
      const fits = batch.length < sizeMax && !keys.has(key)
      if (fits) keys.add(key)
      ;(fits ? batch : later).push(waiting)
    }
    this.#queue = later
    return batch
  }
}
