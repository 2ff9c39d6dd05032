import type { Load } from '#capabilities/wire/contract.ts'

export type AdmissionOptions = {
  readonly inFlightMax: number
  readonly waitMsMax: number
  readonly loopDelayMsMax: number
  readonly loopDelayMs: () => number
}

type Waiting = { readonly admit: (isAdmitted: boolean) => void; readonly timer: NodeJS.Timeout }

// Turns calls away before they have done anything, when the process has more than it can serve. Queries go
// first, because they can be asked again without a second thought. What undoes or ends a payment that
// was begun is never turned away and waits for no place.
export class Admission {
  readonly #options: AdmissionOptions
  readonly #waiting: Waiting[] = []
  #inFlight = 0

  constructor(options: AdmissionOptions) {
    this.#options = options
  }

  // True: the call may go on, and must be followed by leave(). A promise only if it has to wait for that.
  enter(load: Load): boolean | Promise<boolean> {
    if (this.#isTooSlowFor(load)) return false
    if (load === 'vital' || this.#inFlight < this.#options.inFlightMax) {
      this.#inFlight += 1
      return true
    }
    return new Promise((admit) => {
      const timer = setTimeout(() => this.#giveUp(admit), this.#options.waitMsMax)
      this.#waiting.push({ admit, timer })
    })
  }

  leave(): void {
    // Those that waited for no place have none to hand on.
    const next = this.#inFlight > this.#options.inFlightMax ? undefined : this.#waiting.shift()
    if (!next) {
      this.#inFlight -= 1
      return
    }
    // The place is handed on, so the number in flight stays.
    clearTimeout(next.timer)
    next.admit(true)
  }

  #giveUp(admit: (isAdmitted: boolean) => void): void {
    const at = this.#waiting.findIndex((waiting) => waiting.admit === admit)
    if (at >= 0) this.#waiting.splice(at, 1)
    admit(false)
  }

  #isTooSlowFor(load: Load): boolean {
    // While nothing else is served, it is not calls that keep the loop late, and none is the quicker for it.
    if (load === 'vital' || this.#inFlight === 0) return false
    const { loopDelayMs, loopDelayMsMax } = this.#options
    return loopDelayMs() > (load === 'query' ? loopDelayMsMax : 2 * loopDelayMsMax)
  }
}
