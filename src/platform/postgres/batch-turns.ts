// How the batches of one kind leave among those of others.
export type Turn = {
  // A caller has come.
  enter(): void
  // A batch is about to leave. Null: at once.
  begin(leaving: Leaving): Promise<void> | null
  // It is back.
  end(): void
  // So many callers have their answers.
  exit(callers: number): void
  // Of a batch that leaves now.
  sizeMax(): number
}

export type Leaving = {
  // By the last batch, which had no room for it: it does not wait for others as well.
  readonly isLeftOver: boolean
  readonly size: number
  // Of the last batch, if that left a moment ago.
  readonly lastSize: number
}

// What those share who take turns.
export type Turns = { readonly afterOthers: Turn; readonly withOthers: Turn; readonly beforeOthers: Turn }

// Up to so many callers there is time for everybody at once, and to wait would only take longer.
const callersAtOnce = 64

// A gateway alone and its database would work by turns if all callers were in one batch, and each of them
// wait for the work of all, first here and then there. With half of those who wait in each, one has time for
// some while the other is busy with the rest. So many stay together, because a batch has a price of its own.
const togetherMax = 32

// It leaves after so many batches of others, and after so long, whatever else is out: nobody waits for long,
// however busy others are and whatever they hang on.
const letPassMax = 4
const waitMsMax = 100
const companyMsMax = 25

// Fewer and larger batches where there is a crowd, so that what a batch costs by itself, in this process as
// in the database, is shared by more callers: while a batch of others is out the next one gathers.
export class BatchTurns implements Turns {
  readonly #isAlone: boolean
  #callers = 0
  #out = 0
  // How many batches whose callers go on to withOthers are back.
  #passed = 0
  // How many callers of withOthers must come until those who wait for company have it.
  #missing = 0
  readonly #waiting: (() => void)[] = []

  // Beside others of its kind there is always one that has something to do.
  constructor({ isAlone = false }: { readonly isAlone?: boolean } = {}) {
    this.#isAlone = isAlone
  }

  // Waits while another one is out.
  readonly afterOthers: Turn = this.#turn({
    begin: ({ isLeftOver }) => (isLeftOver ? this.#leave() : this.#leaveOrWait()),
    end: () => (this.#passed += 1),
  })

  // The same for what comes behind afterOthers. Where only few would leave, because the crowd is a step
  // behind them, they wait until it has made that step: otherwise both would go on side by side for ever.
  readonly withOthers: Turn = this.#turn({
    enter: () => this.#welcome(),
    begin: (leaving) => {
      if (leaving.isLeftOver) return this.#leave()
      const missing = missingIn(leaving)
      return missing > 0 ? this.#waitForCompany(missing) : this.#leaveOrWait()
    },
  })

  // Waits for none, and is waited for.
  readonly beforeOthers: Turn = this.#turn({ begin: () => this.#leave() })

  #turn({ begin, enter, end }: Pick<Turn, 'begin'> & Partial<Pick<Turn, 'enter' | 'end'>>): Turn {
    return {
      enter: () => {
        this.#callers += 1
        enter?.()
      },
      begin,
      end: () => {
        end?.()
        this.#end()
      },
      exit: (callers) => void (this.#callers -= callers),
      sizeMax: () => (this.#isAlone ? Math.max(togetherMax, Math.ceil(this.#callers / 2)) : Infinity),
    }
  }

  get #isTaken(): boolean {
    return this.#out > 0 && this.#callers > callersAtOnce
  }

  #leave(): null {
    this.#out += 1
    return null
  }

  #leaveOrWait(): Promise<void> | null {
    return this.#isTaken ? this.#waitWhile(() => this.#isTaken, waitMsMax) : this.#leave()
  }

  async #waitForCompany(missing: number): Promise<void> {
    const before = this.#passed
    const isCrowdMissing = () => this.#passed === before && this.#missing > 0
    this.#missing = missing
    await this.#waitWhile(() => isCrowdMissing() || this.#isTaken, companyMsMax)
    this.#missing = 0
  }

  #welcome(): void {
    if (this.#missing === 0) return
    this.#missing -= 1
    // Those behind it in this turn may join.
    if (this.#missing === 0) setImmediate(() => this.#wake())
  }

  async #waitWhile(isHeld: () => boolean, msMax: number): Promise<void> {
    let passesLeft = letPassMax
    let goOn: (() => void) | null = null
    const patience = setTimeout(() => {
      passesLeft = 0
      goOn?.()
    }, msMax)
    for (; isHeld() && passesLeft > 0; passesLeft -= 1) {
      await new Promise<void>((resolve) => {
        goOn = resolve
        this.#waiting.push(resolve)
      })
    }
    clearTimeout(patience)
    this.#leave()
  }

  // Those who wait hear of it when the callers of this one have gone on, because they may join.
  #end(): void {
    this.#out -= 1
    if (this.#waiting.length > 0) setImmediate(() => this.#wake())
  }

  // The first in line leaves, unless one has left meanwhile, and the others see that one is out again.
  #wake(): void {
    for (const goOn of this.#waiting.splice(0)) goOn()
  }
}

// Half of a crowd is company enough.
function missingIn({ size, lastSize }: Leaving): number {
  return lastSize > callersAtOnce ? Math.max(0, Math.ceil(lastSize / 2) - size) : 0
}
