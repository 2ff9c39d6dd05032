import { assert } from '#kernel/assert.ts'

// What a capability says about work that falls due. It runs at least once: a node may die between doing the
// work and reporting it, so running a task twice must do no harm. The message of an error that a task throws
// is stored and logged, so it holds nothing secret.

// All that is needed to ask for a task, apart from running it, so that an operation need not import the task.
export type TaskKind<Payload> = {
  // Stored with every task, so never renamed.
  readonly kind: string
  readonly triesMax?: number
  // The stored payload may have been written by an older version.
  readonly read: (payload: unknown) => Payload
}

export type DueTask<Payload> = {
  readonly key: string
  readonly accountId: bigint | null
  readonly payload: Payload
  readonly tries: number
  // Aborted when the lease is lost or the node stops: another node may be running the task already.
  readonly signal: AbortSignal
  // Aborted before that, when the node begins to stop: what is in hand may be ended, and nothing more begun.
  readonly stopping: AbortSignal
}

export type Task<Needs> = {
  readonly kind: string
  readonly everyMs: number | null
  readonly run: (needs: Needs, task: DueTask<unknown>) => Promise<void>
}

export function defineTask<Needs, Payload>(
  { kind, read }: TaskKind<Payload>,
  run: (needs: Needs, task: DueTask<Payload>) => Promise<void>,
): Task<Needs> {
  return { kind, everyMs: null, run: (needs, task) => run(needs, { ...task, payload: read(task.payload) }) }
}

type PeriodicTask<Needs> = {
  readonly kind: string
  readonly every: Temporal.DurationLike
  readonly run: (needs: Needs, task: DueTask<unknown>) => Promise<void>
}

// Exists once for all nodes, runs for the first time at once, and is never given up.
export function definePeriodicTask<Needs>({ kind, every, run }: PeriodicTask<Needs>): Task<Needs> {
  const everyMs = Temporal.Duration.from(every).total('milliseconds')
  assert(Number.isInteger(everyMs) && everyMs > 0, 'a period is a whole number of milliseconds')
  return { kind, everyMs, run }
}
