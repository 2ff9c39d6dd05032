import type { AccountId } from '#kernel/ids.ts'

type Turns = { readonly waiting: (() => void)[]; running: number }

type TurnOptions = { readonly atOnce: number; readonly waitMsMax?: number }

// How long a search may take, and one behind it waits. Less than other statements have.
export const patienceMs = 4_000

// Searches hold a connection for as long as they take, and connections are few: of one account only some are
// at it at once, so that everybody else is served meanwhile. The others wait for their turn, for a while. In
// memory, for this process alone, like the connections.
export class SearchTurns {
  readonly #options: Required<TurnOptions>
  readonly #accounts = new Map<AccountId, Turns>()

  constructor(options: TurnOptions) {
    this.#options = { waitMsMax: patienceMs, ...options }
  }

  // True: the search may begin, and must be followed by leave(). False: it waited in vain.
  async take(account: AccountId): Promise<boolean> {
    const turns = this.#accounts.getOrInsertComputed(account, () => ({ waiting: [], running: 0 }))
    if (turns.running < this.#options.atOnce) {
      turns.running += 1
      return true
    }
    return new Promise((answer) => {
      const begin = (): void => {
        clearTimeout(timer)
        answer(true)
      }
      const timer = setTimeout(() => {
        turns.waiting.splice(turns.waiting.indexOf(begin), 1)
        answer(false)
      }, this.#options.waitMsMax)
      turns.waiting.push(begin)
    })
  }

  leave(account: AccountId): void {
    const turns = this.#accounts.get(account)
    if (!turns) return
    const next = turns.waiting.shift()
    // The turn is handed on, so the number of those at it stays.
    if (next) return next()
    turns.running -= 1
    if (turns.running === 0) this.#accounts.delete(account)
  }
}
