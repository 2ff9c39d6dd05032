import { setImmediate as nextTurn } from 'node:timers/promises'
import type { VirtualTime } from '../../simulator/virtual-time.ts'
import type { Dice } from './dice.ts'

// Decides who takes the next step. Everybody waits at a gate before each step; one is let through at a time,
// and the next one only when its step is over. So the order of all steps follows from the dice.

type Waiting = { readonly owner: object; readonly go: () => void; readonly drop: (error: Error) => void }

const stepsMax = 5_000
// A batch tells its answers a turn later, what comes of them leaves a turn after that, and whoever finds its
// engine dead begins anew. We ask for our turn before they do.
const turnsToSettle = 5

export class Interleaver {
  readonly #dice: Dice
  readonly #time: VirtualTime
  #waiting: Waiting[] = []
  #step: Promise<unknown> = Promise.resolve()

  constructor(dice: Dice, time: VirtualTime) {
    this.#dice = dice
    this.#time = time
  }

  // One step of one owner, taken when its turn comes.
  async step<T>(owner: object, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((go, drop) => this.#waiting.push({ owner, go, drop }))
    const mine = work()
    this.#step = mine.catch(() => undefined)
    return mine
  }

  // The owner takes no step any more.
  drop(owner: object, error: Error): void {
    const gone = this.#waiting.filter((one) => one.owner === owner)
    this.#waiting = this.#waiting.filter((one) => one.owner !== owner)
    for (const one of gone) one.drop(error)
  }

  // Until all actors are done.
  async run(actors: readonly Promise<unknown>[]): Promise<void> {
    let isOver = false
    const over = Promise.allSettled(actors).finally(() => {
      isOver = true
    })
    for (let steps = 0; steps < stepsMax; steps += 1) {
      await settled()
      if (isOver) break
      const isIdle = this.#waiting.length === 0
      // Nobody can move before the bank or somebody's patience does.
      if (isIdle || this.#dice.happens(40)) this.#time.advance(isIdle ? 5_000 : this.#dice.below(50_000))
      await settled()
      const [next] = this.#waiting.splice(this.#dice.below(this.#waiting.length || 1), 1)
      next?.go()
      await settled()
      await this.#step
    }
    if (!isOver) throw new Error('The history does not come to an end')
    const failed = (await over).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }
}

// Until everybody is at a gate or waits for the bank.
async function settled(): Promise<void> {
  for (let turn = 0; turn < turnsToSettle; turn += 1) await nextTurn()
}
