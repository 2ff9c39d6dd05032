import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Acquirer } from '#engine/acquirers/acquirer.ts'
import { aheadOf } from '../support/clock-ahead.ts'
import { simulatorAcquirer } from '#engine/acquirers/simulator.connector.ts'
import type { AttemptState } from '#engine/payments/attempt.ts'
import type { Followers } from '#engine/payments/follower.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Crash, type CrashPoint, type PaymentNeeds, usualPatience } from '#engine/payments/payment-needs.ts'
import type { Log } from '#platform/log.ts'
import type { Database, Saying, Tx } from '#platform/postgres/database.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import type { Bank } from '../../simulator/bank.ts'
import type { VirtualTime } from '../../simulator/virtual-time.ts'

// An engine that can die. Once dead it writes nothing, sends nothing and hears nothing: as a process that was
// killed. What it had sent is with the bank, what it had committed is in the database.

export type Seen = { readonly points: Set<string>; readonly edges: Set<string> }

export type MortalOptions = {
  readonly db: Database
  readonly batchDb: Database
  readonly time: VirtualTime
  readonly bank: Bank
  readonly followers: Followers
  readonly seen: Seen
  readonly dieAt?: CrashPoint | 'in_flight'
  // The commit of this transaction, counted from 1, succeeds, but its confirmation does not arrive.
  readonly losesCommit?: number
  readonly onSleep?: { readonly at: 'before_send' | 'before_t2'; readonly meanwhile: () => Promise<void> }
  readonly neverLeaves?: boolean
}

// Real timers are left out of it: time is the bank's, and it moves only when a test moves it.
const patience = { ...usualPatience, answerMs: 3_600_000, inquiryMs: 3_600_000, recordMs: 0 }
export const answerMs = usualPatience.answerMs

export const quietLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

export class MortalEngine {
  readonly needs: PaymentNeeds
  readonly #options: MortalOptions
  #isDead = false
  #commits = 0

  constructor(options: MortalOptions) {
    this.#options = options
    const { followers, time, bank } = options
    const engine = paymentEngine({
      db: this.#mortalDatabase(options.db),
      batchDb: this.#mortalDatabase(options.batchDb),
      clock: time,
      accountClock: aheadOf(time),
      log: quietLog,
      acquirer: this.#mortalAcquirer(simulatorAcquirer({ bank })),
      followers,
      patience,
      crashpoint: (point) => this.#pass(point),
    })
    this.needs = { ...engine, attempts: this.#sleepyAttempts(engine), answers: this.#watchedAnswers(engine) }
  }

  kill(): void {
    this.#isDead = true
  }

  #pass(point: CrashPoint | 'in_flight'): void {
    this.#options.seen.points.add(point)
    if (this.#options.dieAt === point) this.kill()
    this.#assertAlive()
  }

  #assertAlive(): void {
    if (this.#isDead) throw new Crash('dead')
  }

  async #alive<T>(work: () => Promise<T>): Promise<T> {
    this.#assertAlive()
    const result = await work()
    this.#assertAlive()
    return result
  }

  #mortalDatabase(db: Database): Database {
    return {
      run: (statement, values) => this.#alive(() => db.run(statement, values)),
      inTransaction: async <T>(work: (tx: Tx) => Promise<T>, saying?: Saying) => {
        const result = await this.#alive(() => db.inTransaction(work, saying))
        this.#commits += 1
        if (this.#commits !== this.#options.losesCommit) return result
        this.#options.seen.points.add(`lost_commit_${this.#commits}`)
        throw new DatabaseUnavailable('The confirmation of a commit was lost')
      },
      close: async () => undefined,
    }
  }

  #sleepyAttempts({ attempts }: PaymentNeeds): PaymentNeeds['attempts'] {
    return {
      add: async (attempt) => {
        const verdict = await attempts.add(attempt)
        await this.#sleep('before_send')
        return verdict
      },
    }
  }

  #watchedAnswers({ answers }: PaymentNeeds): PaymentNeeds['answers'] {
    return {
      add: async (answered) => {
        const move = await answers.add(answered)
        if (move) this.#options.seen.edges.add(edge(move.from, move.to))
        return move
      },
    }
  }

  async #sleep(at: 'before_send' | 'before_t2'): Promise<void> {
    const { onSleep, seen } = this.#options
    if (onSleep?.at !== at) return
    seen.points.add(`slept_${at}`)
    await onSleep.meanwhile()
  }

  #mortalAcquirer(acquirer: Acquirer): Acquirer {
    const first = { isAsked: false }
    return {
      ...acquirer,
      authorize: (request) => this.#send(first, (signal) => acquirer.authorize(request, signal)),
      refund: (request) => this.#send(first, (signal) => acquirer.refund(request, signal)),
      inquire: (ref) => this.#ask((signal) => acquirer.inquire(ref, signal)),
      reverse: (ref) => this.#ask((signal) => acquirer.reverse(ref, signal)),
    }
  }

  // The first request of an engine is the one that faults are about.
  async #send<T>(first: { isAsked: boolean }, ask: (signal: AbortSignal) => Promise<T>) {
    if (this.#options.neverLeaves && !first.isAsked) {
      first.isAsked = true
      return { kind: 'not_sent' } as const
    }
    return this.#ask(ask)
  }

  async #ask<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const answer = await this.#alive(() => this.#inTime(ask))
    await this.#sleep('before_t2')
    return answer
  }

  // The bank answers at once, or not before somebody moves the time.
  async #inTime<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { time, dieAt } = this.#options
    const patienceOver = new AbortController()
    const cancel = time.after(answerMs, () => patienceOver.abort())
    let isAnswered = false
    const answer = ask(patienceOver.signal).finally(() => {
      isAnswered = true
    })
    await nextTurn()
    if (dieAt === 'in_flight') this.#pass('in_flight')
    if (!isAnswered) time.advance(answerMs)
    cancel()
    return answer
  }
}

export function edge(from: AttemptState, to: AttemptState): string {
  return `${from} -> ${to}`
}
