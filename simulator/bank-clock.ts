// Time is handed to the bank, so that a test can move it.
export type BankClock = { now(): Temporal.Instant }

// Runs something later; what it answers calls it off.
export type Scheduler = { after(delayMs: number, work: () => void): () => void }

// A process of its own has nobody to hand it the time.
export const realBankClock: BankClock = {
  now: () => {
    const epochMs = Math.floor(performance.timeOrigin + performance.now())
    return Temporal.Instant.fromEpochMilliseconds(epochMs)
  },
}

// An answer that is still to come keeps no process alive.
export const realScheduler: Scheduler = {
  after: (delayMs, work) => {
    const timer = setTimeout(work, delayMs).unref()
    return () => clearTimeout(timer)
  },
}
