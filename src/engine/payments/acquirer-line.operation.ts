import type { AcquirerAnswer } from '#engine/acquirers/acquirer-answer.ts'
import type { Acquirer } from '#engine/acquirers/acquirer.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'

type Needs = {
  readonly acquirer: Pick<Acquirer, 'name' | 'abilities' | 'inquire'>
  readonly clock: Clock
  readonly log: Log
  readonly patience: { readonly inquiryMs: number; readonly recoveryMs: number }
}

// How many of the last questions must have come to nothing before the line itself is doubted.
const answersKept = 10
const silencesMax = 4

// Whether the acquirer answers at all. While it does not, nothing new is begun: nobody waits for an answer
// that will not come, and calls that need no acquirer keep their places.
export class AcquirerLine {
  readonly #needs: Needs
  // The last answers, the oldest of them overwritten by the next.
  readonly #wasSilent = Array.from({ length: answersKept }, () => false)
  #next = 0
  #silences = 0
  #isUp = true
  #isChecking = false
  #checkAgainAtMs = 0

  constructor(needs: Needs) {
    this.#needs = needs
  }

  get isUp(): boolean {
    return this.#isUp
  }

  // A promise only for the one who finds out whether a line that was down is up again.
  mayAsk(): boolean | Promise<boolean> {
    if (this.#isUp) return true
    return this.#isChecking || this.#nowMs() < this.#checkAgainAtMs ? false : this.#check()
  }

  // What came of a question.
  hear({ kind }: AcquirerAnswer): void {
    const isSilent = kind === 'unknown' || kind === 'not_sent'
    this.#silences += Number(isSilent) - Number(this.#wasSilent[this.#next])
    this.#wasSilent[this.#next] = isSilent
    this.#next = (this.#next + 1) % answersKept
    const isDoubted = this.#silences > silencesMax && this.#needs.acquirer.abilities.inquiry
    if (isDoubted && this.#isUp && !this.#isChecking) void this.#check()
  }

  // Payments may fail one by one, as amounts of a sandbox make them, on a line that is in order.
  async #check(): Promise<boolean> {
    this.#isChecking = true
    const answers = await this.#answersNow()
    this.#isChecking = false
    this.#checkAgainAtMs = this.#nowMs() + this.#needs.patience.recoveryMs
    this.#silences = 0
    this.#wasSilent.fill(false)
    if (answers !== this.#isUp) this.#turn(answers)
    return answers
  }

  #turn(isUp: boolean): void {
    const { log, acquirer } = this.#needs
    this.#isUp = isUp
    if (isUp) log.info({ acquirer: acquirer.name }, 'The acquirer answers again')
    else
      log.error({ acquirer: acquirer.name }, 'The acquirer cannot be reached; no payment is begun meanwhile')
  }

  // That a reference which was never used is not known is as good an answer as any.
  async #answersNow(): Promise<boolean> {
    const { acquirer, patience } = this.#needs
    try {
      const answer = await acquirer.inquire(newReference(), AbortSignal.timeout(patience.inquiryMs))
      return answer.kind !== 'unknown'
    } catch {
      return false
    }
  }

  #nowMs(): number {
    return this.#needs.clock.now().epochMilliseconds
  }
}
