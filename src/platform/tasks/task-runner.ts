import { hostname } from 'node:os'
import { assert } from '#kernel/assert.ts'
import type { Log } from '#platform/log.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import type { Notifications } from '#platform/postgres/notifications.ts'
import type { Outage } from '#platform/postgres/outage.ts'
import { HeldTasks } from '#platform/tasks/held-tasks.ts'
import { retryDelayMs } from '#platform/tasks/retry-delay.ts'
import {
  claimDueTasks,
  type ClaimedTask,
  msUntilNextDue,
  releaseTask,
} from '#platform/tasks/task-claim.store.ts'
import { buryTask, finishTask, putOffTask, repeatTask } from '#platform/tasks/task-end.store.ts'
import { ensurePeriodicTasks } from '#platform/tasks/new-task.store.ts'
import type { Task } from '#platform/tasks/task.ts'

export type TaskRunnerOptions<Needs> = {
  readonly db: Queryable
  readonly notifications: Pick<Notifications, 'on' | 'onGap'>
  readonly tasks: readonly Task<Needs>[]
  readonly needs: Needs
  readonly log: Pick<Log, 'warn' | 'error'>
  readonly outage: Outage
  readonly concurrency: number
  // Nothing more is claimed while it answers true.
  readonly isHeld?: () => boolean
  readonly leaseMs?: number
  readonly pollMs?: number
  readonly stopWaitMsMax?: number
  readonly random?: () => number
}

export type TaskRunner = {
  // Claims nothing more, waits for what is running, and hands over what does not end in time.
  stop(): Promise<void>
}

const defaults = {
  isHeld: () => false,
  leaseMs: 30_000,
  pollMs: 5_000,
  stopWaitMsMax: 20_000,
  random: Math.random,
}
const heldPollMs = 1_000
const errorLengthMax = 500

export function startTaskRunner<Needs>(options: TaskRunnerOptions<Needs>): TaskRunner {
  const runner = new Runner(options)
  options.notifications.on('tillgate_tasks', () => runner.wake())
  options.notifications.onGap(() => runner.wake())
  runner.wake()
  return runner
}

class Runner<Needs> implements TaskRunner {
  readonly #options: Required<TaskRunnerOptions<Needs>>
  readonly #tasks: ReadonlyMap<string, Task<Needs>>
  readonly #held: HeldTasks
  readonly #owner = `${hostname()}/${process.pid}`
  #turn: Promise<void> | null = null
  #isWokenAgain = false
  #timer: NodeJS.Timeout | undefined
  #isEnsured = false
  #stopping: Promise<void> | null = null

  constructor(options: TaskRunnerOptions<Needs>) {
    this.#options = { ...defaults, ...options }
    this.#tasks = new Map(options.tasks.map((task) => [task.kind, task]))
    assert(this.#tasks.size === options.tasks.length, 'every kind of task is listed once')
    this.#held = new HeldTasks(this.#options)
  }

  // Turns never overlap; being woken during one means that there will be another.
  wake(): void {
    if (this.#stopping) return
    this.#isWokenAgain = this.#turn !== null
    this.#turn ??= this.#takeTurn().finally(() => {
      this.#turn = null
      if (this.#isWokenAgain) this.wake()
    })
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#turn
    await this.#held.close(this.#options.stopWaitMsMax)
  }

  async #takeTurn(): Promise<void> {
    clearTimeout(this.#timer)
    const waitMs = await this.#options.outage.survive(() => this.#claim())
    if (!this.#stopping) this.#timer = setTimeout(() => this.wake(), waitMs ?? this.#options.pollMs)
  }

  // Starts what is due and answers when to look again if nothing is heard before.
  async #claim(): Promise<number> {
    const { db, concurrency, leaseMs, pollMs, isHeld } = this.#options
    if (isHeld()) return Math.min(pollMs, heldPollMs)
    if (!this.#isEnsured) await this.#ensure()
    const kinds = [...this.#tasks.keys()]
    const free = concurrency - this.#held.count
    if (free <= 0) return pollMs
    const claimed = await claimDueTasks(db, { kinds, count: free, owner: this.#owner, leaseMs })
    if (this.#stopping) await Promise.all(claimed.map((task) => releaseTask(db, task)))
    else for (const task of claimed) void this.#hold(task)
    return claimed.length < free ? msUntilNextDue(db, { kinds, boundMs: pollMs }) : pollMs
  }

  async #ensure(): Promise<void> {
    const periodic = this.#options.tasks.filter(({ everyMs }) => everyMs !== null)
    await ensurePeriodicTasks(
      this.#options.db,
      periodic.map(({ kind }) => kind),
    )
    this.#isEnsured = true
  }

  async #hold(claimed: ClaimedTask): Promise<void> {
    await this.#held.hold(claimed, (signal) => this.#run(claimed, signal))
    this.wake()
  }

  async #run(claimed: ClaimedTask, signal: AbortSignal): Promise<void> {
    const error = await this.#attempt(claimed, signal)
    // Others may be running it by now, and a run that was told to end has nothing to say about the task.
    if (signal.aborted) return
    const isOurs = await this.#options.outage.survive(() =>
      error === null ? this.#finish(claimed) : this.#fail(claimed, error),
    )
    if (isOurs === false)
      this.#options.log.warn(fieldsOf(claimed), 'A task was taken over before it ended here')
  }

  // Answers what went wrong, if anything.
  async #attempt(claimed: ClaimedTask, signal: AbortSignal): Promise<string | null> {
    const { kind, key, accountId, payload, tries, triesMax } = claimed
    if (triesMax !== null && tries > triesMax) return 'The node was lost during the last try'
    try {
      const { stopping } = this.#held
      const due = { key, accountId, payload, tries, signal, stopping }
      await this.#tasks.get(kind)?.run(this.#options.needs, due)
      return null
    } catch (error) {
      return boundedText(error)
    }
  }

  #finish(claimed: ClaimedTask): Promise<boolean> {
    const { db } = this.#options
    const everyMs = this.#everyMs(claimed)
    return everyMs === null ? finishTask(db, claimed) : repeatTask(db, claimed, everyMs)
  }

  async #fail(claimed: ClaimedTask, error: string): Promise<boolean> {
    const { db, log, random } = this.#options
    const { tries, triesMax } = claimed
    const failed = { ...claimed, error }
    if (triesMax !== null && tries >= triesMax) {
      const isOurs = await buryTask(db, failed)
      if (isOurs) log.error({ ...fieldsOf(claimed), error }, 'A task has failed for good')
      return isOurs
    }
    const delayMs = Math.min(retryDelayMs(tries, random()), this.#everyMs(claimed) ?? Infinity)
    log.warn({ ...fieldsOf(claimed), error, delayMs }, 'A task has failed and will be tried again')
    return putOffTask(db, failed, delayMs)
  }

  #everyMs({ kind }: ClaimedTask): number | null {
    return this.#tasks.get(kind)?.everyMs ?? null
  }
}

function fieldsOf({ taskId, kind, key, tries }: ClaimedTask): object {
  return { taskId: String(taskId), kind, key, tries }
}

function boundedText(error: unknown): string {
  const said =
    error instanceof Error ? `${error.name}: ${error.message}` : 'Something was thrown that is no error'
  // PostgreSQL keeps no NUL in text.
  return said.replaceAll('\0', '').slice(0, errorLengthMax)
}
