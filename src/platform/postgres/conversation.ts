import type pg from 'pg'
import { assert } from '#kernel/assert.ts'
import { decoderFor, type Encoded } from '#platform/postgres/column-type.ts'
import type { RowOf, Statement, ValuesOf } from '#platform/postgres/statement.ts'
import { rollback } from '#platform/postgres/transaction.store.ts'

type Row = Record<string, unknown>
// How the rows of a statement are read, as the server described them when it prepared it.
type Shape = {
  readonly names: readonly string[]
  // Copied for every row and filled: to add one member after the other costs a change of its form each.
  readonly blank: Row
  readonly decoders: readonly ((sent: string) => unknown)[]
}
// What is known of a statement on a connection. After a failure it may or may not have been prepared.
type Preparation = Shape | 'under_way' | 'uncertain'

type Asked = {
  readonly name: string
  readonly rows: Row[]
  // A row that could not be read.
  fault: unknown
  readonly resolve: (rows: readonly Row[]) => void
  readonly reject: (error: unknown) => void
}

const noRows: Shape = { names: [], blank: {}, decoders: [] }
const preparations = new WeakMap<pg.Connection, Map<string, Preparation>>()

// All that one transaction says to the server, up to one Sync at its end. `begin` and the statements behind
// it leave in one write, and none of them is described a second time. More may be sent while an answer is
// still out: once something has failed, the server skips everything before the Sync.
export class Conversation {
  // Set by the driver, which expects it to be called in the end.
  callback: ((error: unknown) => void) | undefined
  readonly #silence: NodeJS.Timeout
  readonly #asked: Asked[] = []
  // The connection may still be busy with the end of what was said before.
  readonly #unsaid: ((connection: pg.Connection) => void)[] = []
  readonly #ended = Promise.withResolvers<void>()
  #connection: pg.Connection | null = null
  #isGathering = false
  #hasLeft = false
  #isLast = false
  #failure: unknown = null

  // A server that says nothing for so long is given up, and its connection with it.
  constructor({ silenceMsMax, hangUp }: { readonly silenceMsMax: number; readonly hangUp: () => void }) {
    this.#silence = setTimeout(hangUp, silenceMsMax)
    this.#ended.promise.catch(() => undefined)
  }

  get hasFailed(): boolean {
    return this.#failure !== null
  }

  // Statements of one turn leave together. Behind the last one nothing may be said: it would be no part of
  // the transaction.
  async run<Params extends Statement['params'], Columns extends Statement['columns']>(
    statement: Statement<Params, Columns>,
    values: ValuesOf<Params>,
  ): Promise<readonly RowOf<Columns>[]> {
    assert(!this.#isLast, 'a transaction that ends says nothing more')
    return this.#ask(statement, values)
  }

  async #ask<Params extends Statement['params'], Columns extends Statement['columns']>(
    statement: Statement<Params, Columns>,
    values: ValuesOf<Params>,
  ): Promise<readonly RowOf<Columns>[]> {
    if (this.hasFailed) throw this.#failure
    const encoded: Encoded[] = []
    for (const [at, type] of statement.params.entries()) encoded.push(type.encode(values[at]))
    const say = (connection: pg.Connection): void => {
      this.#gather(connection)
      this.#prepare(connection, statement)
      connection.bind({ statement: statement.name, values: encoded }, true)
      connection.execute(null, true)
    }
    if (this.#connection) say(this.#connection)
    else this.#unsaid.push(say)
    return new Promise((resolve, reject) => {
      // The shape of a row is a claim of its statement, which a test compares with the database.
      const answer = (rows: readonly Row[]): void => resolve(rows as RowOf<Columns>[])
      this.#asked.push({ name: statement.name, rows: [], fault: null, resolve: answer, reject })
    })
  }

  // Runs the last statement and answers when the server has nothing more to say.
  async last<Params extends Statement['params'], Columns extends Statement['columns']>(
    statement: Statement<Params, Columns>,
    values: ValuesOf<Params>,
  ): Promise<readonly RowOf<Columns>[]> {
    this.#isLast = true
    const [rows] = await Promise.all([this.#ask(statement, values), this.#ended.promise])
    return rows
  }

  // Says that this was all that the work had to say. Answers when the server has nothing more to say. Work
  // that fails before its first real wait is still undone: its statements leave by nextTick, and Node runs
  // that only when no promise is left to run, because we are called from within one.
  end(working: Promise<unknown>): Promise<void> {
    this.#isLast = true
    working.catch(() => this.#undo())
    const say = (connection: pg.Connection): void => this.#gather(connection)
    if (this.#connection) say(this.#connection)
    else this.#unsaid.push(say)
    return this.#ended.promise
  }

  #undo(): void {
    if (this.#asked.length > 0 && !this.#hasLeft) this.#ask(rollback, []).catch(() => undefined)
  }

  // What follows is called by the driver.
  submit(connection: pg.Connection): void {
    this.#connection = connection
    // Given up while it was waiting for its turn.
    if (this.hasFailed) connection.stream.destroy()
    else for (const say of this.#unsaid) say(connection)
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    const blank = Object.fromEntries(fields.map(({ name }) => [name, null]))
    const names = Object.keys(blank)
    assert(names.length === fields.length, 'a statement names each of its columns once')
    this.#known().set(this.#answered().name, {
      // V8's own copies of the words, which it need not look up as it must what came over the wire.
      names,
      blank,
      decoders: fields.map(({ dataTypeID }) => decoderFor(dataTypeID)),
    })
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const asked = this.#answered()
    const shape = this.#known().get(asked.name)
    assert(typeof shape === 'object', 'a statement is described before its rows come')
    try {
      asked.rows.push(rowFrom(shape, fields))
    } catch (error) {
      asked.fault ??= error
    }
  }

  handleCommandComplete(): void {
    this.#silence.refresh()
    const asked = this.#answered()
    const known = this.#known()
    if (typeof known.get(asked.name) !== 'object') known.set(asked.name, noRows)
    this.#asked.shift()
    if (asked.fault === null) asked.resolve(asked.rows)
    else asked.reject(asked.fault)
  }

  handleReadyForQuery(): void {
    this.#finish(null)
  }

  // The server refuses a statement, or the connection is gone.
  handleError(error: unknown): void {
    this.#failure = error
    for (const { name, reject } of this.#asked.splice(0)) {
      if (this.#connection && typeof this.#known().get(name) !== 'object')
        this.#known().set(name, 'uncertain')
      reject(error)
    }
    if (!this.#isLast) this.#connection?.sync()
    this.#finish(error)
  }

  #prepare(connection: pg.Connection, { name, text }: Statement): void {
    const known = this.#known()
    const before = known.get(name)
    if (before !== undefined && before !== 'uncertain') return
    known.set(name, 'under_way')
    if (before === 'uncertain') connection.close({ type: 'S', name }, true)
    connection.parse({ name, text, types: [] }, true)
    connection.describe({ type: 'S', name }, true)
  }

  #gather(connection: pg.Connection): void {
    if (this.#isGathering) return
    this.#isGathering = true
    connection.stream.cork()
    process.nextTick(() => this.#leave(connection))
  }

  #leave(connection: pg.Connection): void {
    this.#isGathering = false
    this.#hasLeft = true
    if (this.#isLast) connection.sync()
    else connection.flush()
    connection.stream.uncork()
  }

  #answered(): Asked {
    const [first] = this.#asked
    assert(first, 'an answer belongs to a statement')
    return first
  }

  #known(): Map<string, Preparation> {
    assert(this.#connection, 'a conversation has a connection')
    return preparations.getOrInsertComputed(this.#connection, () => new Map())
  }

  #finish(error: unknown): void {
    clearTimeout(this.#silence)
    this.callback?.(error)
    if (error === null) this.#ended.resolve()
    else this.#ended.reject(error)
  }
}

function rowFrom({ names, blank, decoders }: Shape, fields: readonly (string | null)[]): Row {
  const row = { ...blank }
  for (let at = 0; at < names.length; at += 1) {
    const sent = fields[at] ?? null
    row[names[at] ?? ''] = sent === null ? null : decoders[at]?.(sent)
  }
  return row
}
