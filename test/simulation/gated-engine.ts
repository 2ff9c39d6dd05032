import type { Acquirer } from '#engine/acquirers/acquirer.ts'
import { aheadOf } from '../support/clock-ahead.ts'
import { simulatorAcquirer } from '#engine/acquirers/simulator.connector.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Crash, type PaymentNeeds, usualPatience } from '#engine/payments/payment-needs.ts'
import type { Database, Saying, Tx } from '#platform/postgres/database.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { type Stage, testFollowers } from '../crash/lane.ts'
import { answerMs, quietLog } from '../crash/mortal-engine.ts'
import type { Dice } from './dice.ts'
import type { Interleaver } from './interleaver.ts'

// An engine whose every statement, transaction and question to the bank is a step of its own, and which may
// die at any of them.

const deathPerMille = 12
const lostCommitPerMille = 8

export class GatedEngine {
  readonly needs: PaymentNeeds
  readonly #stage: Stage
  readonly #dice: Dice
  readonly #turns: Interleaver
  #isDead = false

  constructor(stage: Stage, dice: Dice, turns: Interleaver) {
    this.#stage = stage
    this.#dice = dice
    this.#turns = turns
    this.needs = paymentEngine({
      db: this.#database(stage.database.db),
      batchDb: this.#database(stage.database.batchDb),
      clock: stage.time,
      accountClock: aheadOf(stage.time),
      log: quietLog,
      acquirer: this.#acquirer(simulatorAcquirer({ bank: stage.bank })),
      followers: testFollowers,
      patience: { ...usualPatience, answerMs: 3_600_000, inquiryMs: 3_600_000, recordMs: 0 },
      crashpoint: (point) => {
        stage.seen.points.add(point)
        this.#assertAlive()
        if (dice.happens(deathPerMille)) this.#die()
      },
    })
  }

  get isDead(): boolean {
    return this.#isDead
  }

  #die(): never {
    this.#isDead = true
    this.#turns.drop(this, new Crash('dead'))
    throw new Crash('dies')
  }

  #assertAlive(): void {
    if (this.#isDead) throw new Crash('dead')
  }

  async #step<T>(work: () => Promise<T>): Promise<T> {
    this.#assertAlive()
    const result = await this.#turns.step(this, async () => {
      this.#assertAlive()
      if (this.#dice.happens(deathPerMille)) this.#die()
      return work()
    })
    this.#assertAlive()
    return result
  }

  #database(db: Database): Database {
    return {
      run: (statement, values) => this.#step(() => db.run(statement, values)),
      inTransaction: (work, saying) => this.#step(() => this.#transact(db, work, saying)),
      close: async () => undefined,
    }
  }

  // It may die before the commit or after it, or not hear of it.
  async #transact<T>(db: Database, work: (tx: Tx) => Promise<T>, saying?: Saying): Promise<T> {
    const diesInside = this.#dice.happens(deathPerMille)
    const result = await db.inTransaction(async (tx) => {
      // What is said in one go has no moment between its words and its commit.
      if (diesInside && saying?.inOneGo) this.#die()
      const done = await work(tx)
      if (diesInside) this.#die()
      return done
    }, saying)
    if (this.#dice.happens(deathPerMille)) this.#die()
    if (this.#dice.happens(lostCommitPerMille)) throw new DatabaseUnavailable('The confirmation was lost')
    return result
  }

  #acquirer(acquirer: Acquirer): Acquirer {
    return {
      ...acquirer,
      authorize: (request) => this.#ask((signal) => acquirer.authorize(request, signal)),
      refund: (request) => this.#ask((signal) => acquirer.refund(request, signal)),
      inquire: (ref) => this.#ask((signal) => acquirer.inquire(ref, signal)),
      reverse: (ref) => this.#ask((signal) => acquirer.reverse(ref, signal)),
    }
  }

  // Sending is a step, and so is hearing the answer.
  async #ask<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const patienceOver = new AbortController()
    const sent = await this.#step(async () => {
      const cancel = this.#stage.time.after(answerMs, () => patienceOver.abort())
      return { answer: ask(patienceOver.signal).finally(cancel) }
    })
    const answer = await sent.answer
    return this.#step(async () => answer)
  }
}
