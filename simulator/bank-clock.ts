// Time is handed to the bank, so that a test can move it.
export type BankClock = { now(): Temporal.Instant }

// Runs something later; what it answers calls it off.
export type Scheduler = { after(delayMs: number, work: () => void): () => void }

let latest = Temporal.Instant.fromEpochMilliseconds(0)

// A process of its own has nobody to hand it the time. Within one millisecond it is the same instant: what
// the bank keeps of thousands of requests a second would otherwise hold as many.
export const realBankClock: BankClock = {
  now: () => {
    const epochMs = Math.floor(performance.timeOrigin + performance.now())
    if (latest.epochMilliseconds !== epochMs) latest = Temporal.Instant.fromEpochMilliseconds(epochMs)
    return latest
  },
}

// An answer that is still to come keeps no process alive.
export const realScheduler: Scheduler = {
  after: (delayMs, work) => {
    const timer = setTimeout(work, delayMs).unref()
    return () => clearTimeout(timer)
  },
}
