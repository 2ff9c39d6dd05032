import { type GuardNeeds, readNotedMark, writeMark } from '#engine/restore-guard/check-database.operation.ts'
import { covers, type Hold, isSameMark, type Mark, noMark, unnoted } from '#engine/restore-guard/sending.ts'
import type { Log } from '#platform/log.ts'

export type NotingNeeds = GuardNeeds & {
  readonly log: Log
  // One process of a node writes its state file; its workers look whether it does.
  readonly isKeeper: boolean
  // For how long what was seen may be missing from the file. A disk that is merely slow has written it by
  // then; what is begun in that time and lost by a restore at its end is not noticed.
  readonly unnotedMsMax?: number
}

const usualUnnotedMsMax = 5_000

// Keeps on disk how far the database has come, and holds what is sent while that fails for too long.
export class NotedMark {
  readonly #needs: NotingNeeds
  #noted: Mark = noMark
  // What was seen first of all that is not on disk yet, and the end of the time that it has.
  #missing: { readonly mark: Mark; readonly timer: NodeJS.Timeout } | null = null
  #isTold = false
  #hold: Hold | null = null

  constructor(needs: NotingNeeds) {
    this.#needs = needs
  }

  get hold(): Hold | null {
    return this.#hold
  }

  async note(mark: Mark): Promise<void> {
    if (isSameMark(mark, this.#noted)) return
    // Before it is written: a disk that hangs has failed as well.
    this.#missing ??= { mark, timer: this.#waitFor() }
    if (this.#needs.isKeeper) await this.#write(mark)
    else this.#read()
    this.#settle()
  }

  // What was noted before counts no more: the file holds what an operator has confirmed.
  forget(): void {
    this.#noted = noMark
    clearTimeout(this.#missing?.timer)
    this.#missing = null
    this.#hold = null
  }

  #read(): void {
    try {
      this.#noted = readNotedMark(this.#needs)
    } catch (error) {
      // What cannot be read is not written either, and that is told when its time is over.
      this.#needs.log.debug({ err: error }, 'How far the database has come could not be read')
    }
  }

  async #write(mark: Mark): Promise<void> {
    try {
      await writeMark(this.#needs, mark)
      this.#noted = mark
    } catch (error) {
      const { stateFile } = this.#needs
      const text = 'How far the database has come cannot be written down; trying again each second'
      if (!this.#isTold) this.#needs.log.error({ err: error, stateFile }, text)
      this.#isTold = true
    }
  }

  #settle(): void {
    if (!this.#missing || !covers(this.#noted, this.#missing.mark)) return
    clearTimeout(this.#missing.timer)
    this.#missing = null
    this.#hold = null
    const { stateFile } = this.#needs
    if (this.#isTold)
      this.#needs.log.warn({ stateFile }, 'How far the database has come is written down again')
    this.#isTold = false
  }

  #waitFor(): NodeJS.Timeout {
    const { unnotedMsMax = usualUnnotedMsMax } = this.#needs
    return setTimeout(() => this.#holdBack(), unnotedMsMax).unref()
  }

  #holdBack(): void {
    const { isKeeper, log, stateFile } = this.#needs
    // A worker looks only while the database answers, and the file may have been written meanwhile.
    if (!isKeeper) this.#read()
    this.#settle()
    if (!this.#missing) return
    this.#hold = { kind: 'unnoted', because: unnoted }
    this.#isTold = true
    log.error({ because: unnoted, stateFile }, 'Nothing is sent until it can be written down')
  }
}
