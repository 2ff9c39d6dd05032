import { Socket } from 'node:net'

// Holds back what is written until the turn is over: statements that are sent one after the other leave in
// one write, and wake the server once.
export class GatheringSocket extends Socket {
  #isGathering = false

  // The driver corks for each statement. The first one of a turn corks once more, for all of them.
  override cork(): void {
    super.cork()
    if (this.#isGathering) return
    this.#isGathering = true
    super.cork()
    process.nextTick(() => {
      this.#isGathering = false
      this.uncork()
    })
  }
}
