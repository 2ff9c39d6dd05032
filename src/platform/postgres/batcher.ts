import { assert } from '#kernel/assert.ts'
import type { BatchCrowd } from '#platform/postgres/batch-crowd.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'

export type BatchKeys = {
  // Items that share one of these never share a batch: one statement can change a row only once.
  readonly own: readonly unknown[]
  // Of items that share one of these a few do: whoever takes them does so one by one.
  readonly shared: readonly unknown[]
}

export type BatcherOptions<Item, Answer> = {
  // Answers in the order of the items. Called with one item at a time when a batch has failed.
  readonly run: (items: readonly Item[]) => Promise<readonly Answer[]>
  readonly sizeMax: number
  // An error that no replay could mend, because it was nobody's row.
  readonly isHopeless?: (error: unknown) => boolean
  readonly keysOf?: (item: Item) => BatchKeys
  // Where only a part of those who wait may share a batch.
  readonly crowd?: BatchCrowd | undefined
}

type Waiting<Item, Answer> = {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (reason: unknown) => void
}

// Lets concurrent callers share one database transaction. An idle one sends when the turn of the event loop
// is over, a busy one as soon as its last batch is answered: no timer delays it, and a lone caller waits for
// no other. One bad item never fails its neighbours: a failed batch is replayed item by item.
export class Batcher<Item, Answer> {
  readonly #options: BatcherOptions<Item, Answer>
  #queue: Waiting<Item, Answer>[] = []
  #isBusy = false

  constructor(options: BatcherOptions<Item, Answer>) {
    this.#options = options
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject })
      this.#options.crowd?.enter()
      if (this.#isBusy) return
      this.#isBusy = true
      // Not at once: the first of a turn would leave alone, and all the others of that turn wait for it.
      setImmediate(() => void this.#drain())
    })
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) await this.#send(this.#takeBatch())
    this.#isBusy = false
  }

  async #send(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      this.#tell(batch, await this.#ask(batch))
    } catch (error) {
      const isFinal = batch.length === 1 || this.#options.isHopeless?.(error) === true
      if (isFinal) this.#refuse(batch, error)
      else await this.#replay(batch)
    }
  }

  async #ask(batch: readonly Waiting<Item, Answer>[]): Promise<readonly Answer[]> {
    const items: Item[] = []
    for (const { item } of batch) items.push(item)
    const answers = await this.#options.run(items)
    assert(answers.length === batch.length, 'every item of a batch gets its answer')
    return answers
  }

  // What callers do with their answers takes a while, and the database has nothing to do meanwhile: if others
  // wait, their batch leaves first.
  #tell(batch: readonly Waiting<Item, Answer>[], answers: readonly Answer[]): void {
    this.#options.crowd?.leave(batch.length)
    if (this.#queue.length > 0) setImmediate(tellAll, batch, answers)
    else tellAll(batch, answers)
  }

  #refuse(batch: readonly Waiting<Item, Answer>[], error: unknown): void {
    this.#options.crowd?.leave(batch.length)
    batch.forEach(({ reject }) => reject(error))
  }

  async #replay(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    for (const [at, waiting] of batch.entries()) {
      try {
        this.#tell([waiting], await this.#ask([waiting]))
      } catch (error) {
        const isHopeless = this.#options.isHopeless?.(error) === true
        this.#refuse(isHopeless ? batch.slice(at) : [waiting], error)
        if (isHopeless) return
      }
    }
  }

  #takeBatch(): readonly Waiting<Item, Answer>[] {
    const { keysOf, crowd } = this.#options
    const sizeMax = Math.min(this.#options.sizeMax, crowd?.sizeMax ?? Infinity)
    if (!keysOf || this.#queue.length === 1) return this.#queue.splice(0, sizeMax)
    const batch: Waiting<Item, Answer>[] = []
    const later: Waiting<Item, Answer>[] = []
    const places = new Places()
    for (const waiting of this.#queue) {
      const keys = keysOf(waiting.item)
      if (batch.length < sizeMax && places.areFreeFor(keys)) {
        places.take(keys)
        batch.push(waiting)
      } else {
        // Also for those who come later, so that items of one key keep their order.
        places.close(keys)
        later.push(waiting)
      }
    }
    this.#queue = later
    return batch
  }
}

const sharersMax = 8

// How many items of a batch there are of each key.
class Places {
  readonly #taken = new Map<unknown, number>()

  areFreeFor({ own, shared }: BatchKeys): boolean {
    return !own.some((key) => this.#count(key) > 0) && !shared.some((key) => this.#count(key) >= sharersMax)
  }

  take({ own, shared }: BatchKeys): void {
    for (const key of own) this.#taken.set(key, Infinity)
    for (const key of shared) this.#taken.set(key, this.#count(key) + 1)
  }

  close({ own, shared }: BatchKeys): void {
    for (const key of own) this.#taken.set(key, Infinity)
    for (const key of shared) this.#taken.set(key, Infinity)
  }

  #count(key: unknown): number {
    return this.#taken.get(key) ?? 0
  }
}

function tellAll<Answer>(batch: readonly Waiting<unknown, Answer>[], answers: readonly Answer[]): void {
  for (const [at, { resolve }] of batch.entries()) resolve(answers[at] as Answer)
}

const statementMax = 256

// Callers that ask the database at the same time share one statement. Answers in the order of the items.
export function shareStatement<Item, Answer>(
  run: BatcherOptions<Item, Answer>['run'],
  crowd?: BatchCrowd,
): Batcher<Item, Answer> {
  return new Batcher({ sizeMax: statementMax, isHopeless: isUnreachable, run, crowd })
}
