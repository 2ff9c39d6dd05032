import type { Acquirer } from '#engine/acquirers/acquirer.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import type { Log } from '#platform/log.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'

type Needs = {
  readonly acquirer: Acquirer
  readonly log: Log
  readonly patience: { readonly inquiryMs: number }
}

type Heard = { readonly kind: string; readonly isOurOwn?: true }

// How many of the last questions must have come to nothing before the line itself is doubted.
const answersKept = 10
const silencesMax = 4

// Whether the acquirer answers at all. While it does not, nothing new is begun: nobody waits for an answer
// that will not come, and calls that need no acquirer keep their places.
export class AcquirerLine {
  // The same acquirer; the line hears what it says.
  readonly acquirer: Acquirer
  readonly #needs: Needs
  // The last answers, the oldest of them overwritten by the next.
  readonly #wasSilent = Array.from({ length: answersKept }, () => false)
  #next = 0
  #silences = 0
  #isUp = true
  #isChecking = false
  #hasSpoken = false

  constructor(needs: Needs) {
    this.#needs = needs
    this.acquirer = this.#listened(needs.acquirer)
  }

  get isUp(): boolean {
    return this.#isUp
  }

  // Asks about a reference that was never used: that it is not known is as good an answer as any. Payments
  // may come to nothing one by one, as amounts of a sandbox make them, on a line that is in order.
  async check(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    this.#hasSpoken = false
    const answer = await this.#askInTime()
    this.#isChecking = false
    // What we did not send ourselves says nothing.
    if (answer.isOurOwn) return
    this.#turn(this.#hasSpoken || !isSilence(answer))
  }

  #listened(acquirer: Acquirer): Acquirer {
    return {
      ...acquirer,
      authorize: (request, signal) => this.#hearing(acquirer.authorize(request, signal)),
      refund: (request, signal) => this.#hearing(acquirer.refund(request, signal)),
      inquire: (ref, signal) => this.#hearing(acquirer.inquire(ref, signal)),
      reverse: (ref, signal) => this.#hearing(acquirer.reverse(ref, signal)),
    }
  }

  async #hearing<Answer extends Heard>(answered: Promise<Answer>): Promise<Answer> {
    try {
      const answer = await answered
      this.#hear(answer)
      return answer
    } catch (error) {
      this.#hear(silenceAt(error))
      throw error
    }
  }

  #hear(answer: Heard): void {
    if (answer.isOurOwn) return
    const wasSilent = isSilence(answer)
    this.#silences += Number(wasSilent) - Number(this.#wasSilent[this.#next])
    this.#wasSilent[this.#next] = wasSilent
    this.#next = (this.#next + 1) % answersKept
    if (!wasSilent) {
      this.#hasSpoken = true
      if (!this.#isUp) this.#turn(true)
    } else if (this.#isUp && this.#silences > silencesMax) void this.check()
  }

  #turn(isUp: boolean): void {
    const { log, acquirer } = this.#needs
    this.#silences = 0
    this.#wasSilent.fill(false)
    if (isUp === this.#isUp) return
    this.#isUp = isUp
    if (isUp) log.info({ acquirer: acquirer.name }, 'The acquirer answers again')
    else
      log.error({ acquirer: acquirer.name }, 'The acquirer cannot be reached; no payment is begun meanwhile')
  }

  // In time even if the connector does not listen to its signal.
  async #askInTime(): Promise<Heard> {
    const { acquirer, patience } = this.#needs
    const given = new AbortController()
    const late = Promise.withResolvers<Heard>()
    const timer = setTimeout(() => {
      given.abort()
      // A turn later: what a connector makes of its signal says more.
      setImmediate(() => late.resolve(silence))
    }, patience.inquiryMs).unref()
    try {
      return await Promise.race([acquirer.inquire(newReference(), given.signal), late.promise])
    } catch (error) {
      return silenceAt(error)
    } finally {
      clearTimeout(timer)
    }
  }
}

const silence: Heard = { kind: 'unknown' }

// A database that is away is not an acquirer that is silent.
function silenceAt(error: unknown): Heard {
  return isUnreachable(error) ? { ...silence, isOurOwn: true } : silence
}

function isSilence({ kind }: Heard): boolean {
  return kind === 'unknown' || kind === 'not_sent'
}
