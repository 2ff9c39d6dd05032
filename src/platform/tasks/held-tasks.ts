import type { Queryable } from '#platform/postgres/database.ts'
import type { Outage } from '#platform/postgres/outage.ts'
import { type ClaimedTask, releaseTask, renewLeases } from '#platform/tasks/task-claim.store.ts'

type HeldTasksOptions = {
  readonly db: Queryable
  readonly outage: Outage
  readonly leaseMs: number
}

type Held = {
  readonly claimed: ClaimedTask
  readonly abort: AbortController
  readonly leaseEnd: NodeJS.Timeout
  readonly done: Promise<void>
}

// The tasks that this node is running, and the heartbeat that keeps their leases.
export class HeldTasks {
  readonly #options: HeldTasksOptions
  readonly #held = new Set<Held>()
  readonly #beat: NodeJS.Timeout
  readonly #stopping = new AbortController()
  #renewal: Promise<void> | null = null

  constructor(options: HeldTasksOptions) {
    this.#options = options
    this.#beat = setInterval(() => this.#renewUnlessBusy(), options.leaseMs / 3)
  }

  get count(): number {
    return this.#held.size
  }

  // Aborted as soon as the node begins to stop.
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  // The run may not reject. Its signal is aborted when the lease is known or must be feared to be lost.
  async hold(claimed: ClaimedTask, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const abort = new AbortController()
    const leaseEnd = setTimeout(() => abort.abort(new Error('Heartbeats have failed')), this.#options.leaseMs)
    const held: Held = { claimed, abort, leaseEnd, done: run(abort.signal) }
    this.#held.add(held)
    await held.done
    clearTimeout(leaseEnd)
    this.#held.delete(held)
  }

  // Waits for what is running, then hands the rest to other nodes at once.
  async close(waitMsMax: number): Promise<void> {
    this.#stopping.abort(new Error('The node is stopping'))
    await this.#settle(waitMsMax)
    clearInterval(this.#beat)
    await this.#renewal
    await Promise.all([...this.#held].map((held) => this.#release(held)))
  }

  async #settle(waitMsMax: number): Promise<void> {
    const { promise: timeUp, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, waitMsMax)
    await Promise.race([timeUp, Promise.all([...this.#held].map(({ done }) => done))])
    clearTimeout(timer)
  }

  async #release({ claimed, abort, leaseEnd }: Held): Promise<void> {
    clearTimeout(leaseEnd)
    abort.abort(new Error('The node is stopping'))
    await this.#options.outage.survive(() => releaseTask(this.#options.db, claimed))
  }

  #renewUnlessBusy(): void {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = null
    })
  }

  async #renew(): Promise<void> {
    const { db, outage, leaseMs } = this.#options
    const asked = [...this.#held].filter(({ abort }) => !abort.signal.aborted)
    if (asked.length === 0) return
    const claims = asked.map(({ claimed }) => claimed)
    const kept = await outage.survive(() => renewLeases(db, claims, leaseMs))
    if (!kept) return
    for (const held of asked.filter((one) => this.#held.has(one))) {
      if (kept.has(held.claimed.taskId)) held.leaseEnd.refresh()
      else held.abort.abort(new Error('Another node has taken over'))
    }
  }
}
