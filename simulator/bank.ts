import { hash } from 'node:crypto'
import { type BankClock, realBankClock, realScheduler, type Scheduler } from './bank-clock.ts'
import type { BankLog, Filed } from './bank-log.ts'
import type { BankAuthorization, BankRequest, Reply, ToldReply } from './bank-request.ts'
import { cardRowOf } from './card-rows.ts'
import { type Delivery, promptDelivery } from './delivery.ts'
import { type Drafted, draftEntry, type Signs } from './draft-entry.ts'
import { FaultScript } from './fault-script.ts'
import { garbled } from './garble.ts'

// Where answers go. Nothing may be said, or the same thing twice, or nonsense: whoever listens must cope.
export type Line = {
  say(reply: unknown): void
  hangUp(): void
  // Whether the bank is at its log. Silence meanwhile is that of the database, and not the bank's.
  filing?(isUnderWay: boolean): void
}

export type BankOptions = {
  readonly log: BankLog
  readonly clock?: BankClock
  readonly scheduler?: Scheduler
  // Approval codes and network ids follow from it and the reference, so that a test repeats.
  readonly seed?: string
  readonly faults?: FaultScript
  // Multiplies every delay, so that a test need not wait 40 seconds.
  readonly pace?: number
  // Of every answer, where nothing else was asked for.
  readonly usualDelayMs?: number
  // A log that cannot be written breaks the line; this hears why.
  readonly onFault?: (error: unknown) => void
}

// Issuer and acquirer in one. Every request is a row of the log before its answer is given out.
export class Bank {
  readonly log: BankLog
  readonly faults: FaultScript
  readonly clock: BankClock
  readonly #scheduler: Scheduler
  readonly #seed: string
  readonly #key: string
  readonly #pace: number
  readonly #usualDelayMs: number
  readonly #onFault: (error: unknown) => void
  readonly #pending = new Set<() => void>()
  // Cards whose next answer depends on the last one are asked one after the other.
  #turn: Promise<unknown> = Promise.resolve()
  #swapping: { readonly reply: Reply; readonly line: Line } | null = null

  constructor(options: BankOptions) {
    this.log = options.log
    this.faults = options.faults ?? new FaultScript()
    this.clock = options.clock ?? realBankClock
    this.#scheduler = options.scheduler ?? realScheduler
    this.#seed = options.seed ?? 'sandbox'
    this.#key = options.log.key.toString('hex')
    this.#pace = options.pace ?? 1
    this.#usualDelayMs = options.usualDelayMs ?? 0
    this.#onFault = options.onFault ?? (() => undefined)
  }

  receive(request: BankRequest, line: Line): Promise<void> {
    const faults = this.faults.next(request.verb, request.ref) ?? {}
    if (faults.losesRequest) return Promise.resolve(this.#lose(line, faults))
    if (!faults.arrivesAfterMs) return this.#serve(request, faults, line)
    this.#later(faults.arrivesAfterMs, () => void this.#serve(request, faults, line))
    return Promise.resolve()
  }

  // Nothing comes any more; the log is its opener's to close.
  close(): void {
    for (const cancel of this.#pending) cancel()
    this.#pending.clear()
  }

  async #serve(request: BankRequest, faults: Partial<Delivery>, line: Line): Promise<void> {
    try {
      line.filing?.(true)
      const { filed, delivery } = await this.#file(request, faults)
      line.filing?.(false)
      const silence = request.verb === 'inquire' ? this.#silenceLeftMs(filed) : 0
      const reply = toldReply(filed)
      if (silence > 0) this.#later(silence / this.#pace, () => this.#answer(reply, delivery, line))
      else this.#answer(reply, delivery, line)
    } catch (error) {
      this.#onFault(error)
      line.hangUp()
    }
  }

  async #file(request: BankRequest, faults: Partial<Delivery>) {
    const draft = await this.#inTurn(request, async (refusalsInARow) => {
      const drafted = draftEntry(request, this.#signs(request.ref), {
        at: this.clock.now(),
        refusalsInARow,
        faults,
        pace: this.#pace,
      })
      return { drafted, filed: await this.log.file(drafted.entry) }
    })
    // An outcome of the amount shows once: a repeat is there to learn the answer.
    const own: Drafted['delivery'] = draft.filed.isRepeat ? {} : draft.drafted.delivery
    const usual: Delivery = { ...promptDelivery, answersAfterMs: this.#usualDelayMs }
    return { filed: draft.filed, delivery: { ...usual, ...own, ...faults } }
  }

  #inTurn<T>(request: BankRequest, work: (refusalsInARow: number) => Promise<T>): Promise<T> {
    if (request.verb !== 'authorize' || !cardRowOf(request.card.number.reveal()).refusesTwice) return work(0)
    const mine = this.#turn.then(async () => work(await this.log.refusalsInARow(this.#mark(request))))
    this.#turn = mine.catch(() => undefined)
    return mine
  }

  #answer(reply: Reply, delivery: Delivery, line: Line): void {
    if (delivery.losesAnswer) return this.#lose(line, delivery)
    if (delivery.swapsAnswer) return this.#swap(reply, line)
    const told = delivery.garbles ? garbled(reply, delivery.garbles) : reply
    const say = (): void => {
      line.say(told)
      if (delivery.answersTwice) line.say(told)
      if (delivery.hangsUp) line.hangUp()
    }
    if (delivery.answersAfterMs > 0) this.#later(delivery.answersAfterMs, say)
    else say()
  }

  #swap(reply: Reply, line: Line): void {
    const other = this.#swapping
    this.#swapping = other ? null : { reply, line }
    if (!other) return
    other.line.say(reply)
    line.say(other.reply)
  }

  #lose(line: Line, { hangsUp }: Partial<Delivery>): void {
    if (hangsUp) line.hangUp()
  }

  #silenceLeftMs({ standing }: Filed): number {
    const until = standing?.silentUntil
    return until ? until.epochMilliseconds - this.clock.now().epochMilliseconds : 0
  }

  #later(delayMs: number, work: () => void): void {
    const cancel = this.#scheduler.after(delayMs * this.#pace, () => {
      this.#pending.delete(cancel)
      work()
    })
    this.#pending.add(cancel)
  }

  #mark({ card }: BankAuthorization): string {
    return this.#digest(`card ${card.number.reveal()}`)
  }

  #digest(text: string): string {
    return hash('sha256', `${this.#key} ${text}`).slice(0, 32)
  }

  #signs(ref: string): Signs {
    const digest = hash('sha256', `${this.#seed} ${ref}`, 'latin1')
    return {
      approvalCode: letters(digest, 0, 6),
      // Starts with a letter, so that nobody takes it for a card number.
      networkId: letters(digest, 6, 14, 'N'),
      digest: (text) => this.#digest(text),
    }
  }
}

// Only what a card was decided by: what the bank thinks of references and batches is for its log.
function toldReply({ reply, reason, standing }: Filed): ToldReply {
  const isOfCard = standing?.kind === 'sale' || standing?.kind === 'verification'
  const isDecision = reply.outcome === 'approved' || reply.outcome === 'declined'
  const isTold = isOfCard && isDecision && reason !== '' && reason === standing.reason
  return isTold ? { ...reply, reason } : reply
}

const alphabet = Buffer.from('ABCDEFGHJKLMNPQRSTUVWXYZ23456789')
const lettersMax = 32
const page = Buffer.alloc(lettersMax)

// Of a digest with one byte in each character. Written to memory first, because a string that grows letter by
// letter keeps its pieces, and the log keeps thousands.
function letters(digest: string, from: number, count: number, first = ''): string {
  page.write(first, 'latin1')
  for (let at = 0; at < count; at += 1)
    page[first.length + at] = alphabet[digest.charCodeAt(from + at) % alphabet.length] ?? 0
  return page.toString('latin1', 0, first.length + count)
}
