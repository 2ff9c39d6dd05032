import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { assert } from '#kernel/assert.ts'
import {
  batchSettings,
  clientSettings,
  type Connection,
  connectionSettings,
} from '#platform/postgres/connection.ts'
import { Conversation } from '#platform/postgres/conversation.ts'
import {
  CommitInDoubt,
  committing,
  connecting,
  DatabaseUnavailable,
  hasState,
  isFull,
  isUnlucky,
  reaching,
} from '#platform/postgres/failures.ts'
import { assureSettings, hangUp } from '#platform/postgres/session.ts'
import type { RowOf, Statement, ValuesOf } from '#platform/postgres/statement.ts'
import { begin, commit, rollback } from '#platform/postgres/transaction.store.ts'

// Whatever can run a statement: the pool, or one transaction.
export type Queryable = {
  run<Params extends Statement['params'], Columns extends Statement['columns']>(
    statement: Statement<Params, Columns>,
    values: ValuesOf<Params>,
  ): Promise<readonly RowOf<Columns>[]>
}

// Statements of one transaction may be sent without waiting for each other: they travel in one pipeline, in
// order.
export type Tx = Queryable & { readonly isTransaction: true }

// Work that says all it has to say in one turn, without waiting for an answer: its commit leaves together
// with it, which saves a way to the server and back. When an answer arrives nothing can be undone any
// more, so whatever must hold its statements have to insist on (isUnmet).
export type Saying = { readonly inOneGo: boolean }

export type Database = Queryable & {
  inTransaction<T>(work: (tx: Tx) => Promise<T>, saying?: Saying): Promise<T>
  close(): Promise<void>
}

export type PoolOptions = {
  readonly sizeMax: number
  readonly onIdleError: (error: Error) => void
  // A statement found no room on the disk of the server.
  readonly onFull?: () => void
  // For statements that join a batch of ids with tables.
  readonly isForBatches?: true
  // How long a server may say nothing in the middle of a batch.
  readonly silenceMsMax?: number
  // How long to wait for a free connection, where nobody waits for the answer.
  readonly waitMsMax?: number
}

export function openDatabase(connection: Connection, options: PoolOptions): Database {
  const settings = options.isForBatches ? batchSettings : connectionSettings
  const { sizeMax: max, waitMsMax: connectionTimeoutMillis = settings.connectionTimeoutMillis } = options
  const pool = new pg.Pool({
    ...clientSettings(connection, settings),
    max,
    connectionTimeoutMillis,
    onConnect: (client) =>
      assureSettings(client, Math.min(connectionTimeoutMillis, connectionSettings.query_timeout)),
  })
  if (options.onFull) fullDiskListeners.set(pool, options.onFull)
  // An idle connection that breaks is replaced on the next call; without a listener it would end the process.
  pool.on('error', (error) => {
    // The pool counts connections as gone before their goodbye has arrived; what they say then is of no
    // interest.
    if (!pool.ending) options.onIdleError(error)
  })
  pool.on('connect', (client) => {
    // The same for a connection at work: its statement fails and tells the caller, so nothing is lost here.
    client.on('error', () => undefined)
    client.on('notice', ({ code }) => {
      if (code === generalWarning) warned.add(client)
    })
  })
  if (options.isForBatches) {
    const { silenceMsMax = connectionSettings.query_timeout } = options
    const converse = (client: pg.PoolClient) => () =>
      client.query(new Conversation({ silenceMsMax, hangUp: () => hangUp(client) }))
    return {
      run: (asked, values) => onClient(pool, (client) => converse(client)().last(asked, values)),
      inTransaction: (work, saying) => {
        const commitBy = saying?.inOneGo ? commitInOneGo : commitInTwoSteps
        return onClient(pool, (client) => commitBy(converse(client), work))
      },
      close: () => pool.end(),
    }
  }
  return {
    run: (asked, values) => onClient(pool, (client) => runOn(client, asked, values)),
    inTransaction: (work, saying) =>
      onClient(pool, (client) => commitAfter(client, work, saying), CommitInDoubt),
    close: () => pool.end(),
  }
}

// A server that stops waiting for its standby calls the commit a success, and only warns. Such a commit is
// lost when the standby takes over, so nothing may be done on the strength of it.
const generalWarning = '01000'
const warned = new WeakSet<pg.PoolClient>()
const fullDiskListeners = new WeakMap<pg.Pool, () => void>()

async function onClient<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  Unconfirmed = DatabaseUnavailable,
): Promise<T> {
  const client = await connecting(() => pool.connect())
  let broken: Error | undefined
  try {
    const done = await reaching(() => work(client))
    if (warned.has(client)) throw new Unconfirmed('A standby has not confirmed a commit')
    return done
  } catch (error) {
    broken = isSpoilt(error) ? error : undefined
    if (isFull(error)) fullDiskListeners.get(pool)?.()
    throw error
  } finally {
    client.release(broken)
  }
}

// A connection that is lost, or one that has prepared statements for a table which was changed since: it
// would refuse them for ever.
function isSpoilt(error: unknown): error is Error {
  if (isFull(error)) return false
  return error instanceof DatabaseUnavailable || hasState(error, changedResult)
}

async function commitAfter<T>(
  client: pg.PoolClient,
  work: (tx: Tx) => Promise<T>,
  saying?: Saying,
): Promise<T> {
  await client.query('begin')
  let cause: unknown
  let isTurnOver = false
  try {
    const working = work({
      isTransaction: true,
      run: async (statement, values) => {
        assert(!isTurnOver, 'what is said in one go is said in one turn')
        return runOn(client, statement, values).catch((error: unknown) => {
          cause ??= error
          throw error
        })
      },
    })
    // A plain pool could go on. It refuses all the same, so that tests catch what a batch forbids.
    isTurnOver = saying?.inOneGo ?? false
    const result = await working
    const { command } = await committing(() => client.query('commit'))
    // After a failed statement the server answers COMMIT with the tag ROLLBACK and no error.
    assert(command === 'COMMIT', 'a transaction whose work succeeded commits')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    // Statements behind the one that failed only say that something failed before them.
    throw hasState(error, inFailedTransaction) ? cause : error
  }
}

// The same in one conversation. The server cannot tell that such a transaction waits for us, so it must have
// a time limit of its own.
async function commitInTwoSteps<T>(converse: () => Conversation, work: (tx: Tx) => Promise<T>): Promise<T> {
  const talk = converse()
  try {
    // Should it fail, so does everything behind it.
    talk.run(begin, []).catch(() => undefined)
    const result = await work({ isTransaction: true, run: (asked, values) => talk.run(asked, values) })
    await talk.last(commit, [])
    return result
  } catch (error) {
    if (await isUndone(converse, talk)) throw error
    throw new DatabaseUnavailable('The database does not undo a transaction', { cause: error })
  }
}

// What is said up to one Sync is a transaction by itself, and the server undoes it where something fails.
async function commitInOneGo<T>(converse: () => Conversation, work: (tx: Tx) => Promise<T>): Promise<T> {
  const talk = converse()
  const tx: Tx = { isTransaction: true, run: (asked, values) => talk.run(asked, values) }
  const working = Promise.try(work, tx)
  // What the work makes of a failure says more than the failure itself.
  const [done, ended] = await Promise.allSettled([working, talk.end(working)])
  if (done.status === 'rejected') throw done.reason
  if (ended.status === 'rejected') throw ended.reason
  return done.value
}

// In the same conversation while it goes on. A statement that was still out may have ended it meanwhile, and
// the server with it skipped the rollback.
async function isUndone(converse: () => Conversation, talk: Conversation): Promise<boolean> {
  return (!talk.hasFailed && (await endsWithRollback(talk))) || endsWithRollback(converse())
}

async function endsWithRollback(talk: Conversation): Promise<boolean> {
  try {
    await talk.last(rollback, [])
    return true
  } catch {
    return false
  }
}

const inFailedTransaction = /^25P02$/
const changedResult = /^0A000$/
const retryDelaysMs = [5, 10, 20, 40, 80]

// A transaction that is begun anew when the database broke it off for the sake of another one. Only for work
// that changes nothing but the database, because it may run six times.
export async function transactAgain<T>(
  db: Database,
  work: (tx: Tx) => Promise<T>,
  saying?: Saying,
): Promise<T> {
  for (const delayMs of retryDelaysMs) {
    try {
      return await db.inTransaction(work, saying)
    } catch (error) {
      if (!isUnlucky(error)) throw error
      await delay(delayMs)
    }
  }
  return db.inTransaction(work, saying)
}

async function runOn<Params extends Statement['params'], Columns extends Statement['columns']>(
  client: pg.PoolClient,
  { name, params, text, patienceMs }: Statement<Params, Columns>,
  values: ValuesOf<Params>,
): Promise<readonly RowOf<Columns>[]> {
  const encoded = params.map((type, at) => type.encode(values[at]))
  const asked = { name, text, values: encoded, ...(patienceMs ? { query_timeout: patienceMs } : {}) }
  const { rows } = await client.query<RowOf<Columns>>(asked)
  return rows
}
