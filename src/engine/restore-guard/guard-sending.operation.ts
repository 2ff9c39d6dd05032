import { judgeDatabase, seeMark } from '#engine/restore-guard/check-database.operation.ts'
import { NotedMark, type NotingNeeds } from '#engine/restore-guard/note-mark.operation.ts'
import {
  type Hold,
  type Mark,
  noMark,
  restored,
  type SendingGate,
  wrongClock,
} from '#engine/restore-guard/sending.ts'
import type { Connection } from '#platform/postgres/connection.ts'
import type { DatabaseClock } from '#platform/postgres/database-clock.ts'
import { Presence } from '#platform/postgres/presence.ts'

type Needs = NotingNeeds & { readonly connection: Connection; readonly clock: DatabaseClock }

const everyMs = 1_000
const clockHold: Hold = { kind: 'clock', because: wrongClock }
const unchecked: Hold = { kind: 'busy', because: 'the database has not been checked yet' }

// Lets a process send only while its database is the one it knows. It looks once a second: while it sends, it
// notes how far the database has come; while it holds, it looks whether an operator has confirmed. Payments
// themselves never wait for it.
export class SendingGuard implements SendingGate {
  readonly #needs: Needs
  readonly #presence: Presence
  readonly #noted: NotedMark
  #hold: Hold | null = unchecked
  #mark: Mark = noMark
  #turn: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #isClockReported = false

  constructor(needs: Needs) {
    this.#needs = needs
    this.#presence = new Presence(needs.connection)
    this.#noted = new NotedMark(needs)
  }

  get hold(): Hold | null {
    // Compared at every call, because a clock may be set to another time between two looks.
    return this.#hold ?? this.#noted.hold ?? (this.#needs.clock.isFar ? clockHold : null)
  }

  // For commands: judges, and writes nothing.
  async inspect(): Promise<void> {
    this.#hold = await judgeDatabase(this.#needs, { register: false })
  }

  async start(): Promise<void> {
    await this.#look()
    this.#again()
  }

  // The connection broke: what answers next may be another database.
  distrust(): void {
    if (this.#hold?.kind === 'paused') return
    this.#hold = { kind: 'busy', because: 'the database was away and is being checked' }
    this.#turn = this.#turn.then(() => this.#lookApart())
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#turn
    if (!this.#hold) await this.#lookApart()
    this.#noted.forget()
    await this.#presence.close()
  }

  #again(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#turn = this.#turn.then(() => this.#lookApart())
      void this.#turn.finally(() => this.#again())
    }, everyMs)
  }

  async #lookApart(): Promise<void> {
    try {
      await this.#look()
    } catch (error) {
      this.#needs.log.debug({ err: error }, 'The database could not be checked; trying again')
    }
  }

  async #look(): Promise<void> {
    await this.#compareClocks()
    if (this.#hold) await this.#judge()
    if (this.#hold) return
    await this.#presence.show()
    const mark = await seeMark(this.#needs, this.#mark)
    if (!mark) return this.#pause({ kind: 'paused', because: restored })
    this.#mark = mark
    await this.#noted.note(mark)
  }

  async #compareClocks(): Promise<void> {
    const { clock, db, log } = this.#needs
    await clock.measure(db)
    if (clock.isFar === this.#isClockReported) return
    this.#isClockReported = clock.isFar
    const fields = { difference: clock.describe() }
    if (clock.isFar)
      log.error(fields, 'The clock of this node is wrong: nothing is begun or recovered until it is right')
    else log.warn(fields, 'The clock of this node is right again; going on')
  }

  async #judge(): Promise<void> {
    const before = this.#hold
    const judged = await judgeDatabase(this.#needs, { register: this.#needs.isKeeper })
    if (judged) return this.#pause(judged)
    this.#hold = null
    if (before?.kind !== 'paused') return
    // What was believed before counts no more: the state file holds what was confirmed.
    this.#mark = noMark
    this.#noted.forget()
    this.#needs.log.warn({}, 'Going on: the database was confirmed')
  }

  #pause(hold: Hold): void {
    const isNews = this.#hold?.because !== hold.because
    this.#hold = hold
    const { because } = hold
    const text = 'Paused: nothing is sent until an operator runs tillgate resume'
    if (isNews) this.#needs.log.error({ because }, text)
  }
}
