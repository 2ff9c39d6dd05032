import type { Log } from '#platform/log.ts'

// The database could not be reached, or hung up. Nothing else may be concluded: a commit may or may not
// have happened.
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable'
}

// It went away when a commit was asked for: whatever was said in that transaction is done, or is not.
export class CommitInDoubt extends DatabaseUnavailable {
  override readonly name = 'CommitInDoubt'
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof DatabaseUnavailable
}

// It answers, and has no room left to write: nothing was done, and its connection is as good as before.
export function isFull(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && hasState(error.cause, /^53100$/)
}

// The server gave a statement up because it took longer than it was allowed to.
export function isTooSlow(error: unknown): boolean {
  return hasState(error, /^57014$/)
}

// A statement, or its wait for what somebody else holds, took longer than it was allowed to: its transaction
// is undone, and the server is well.
export function isOutOfTime(error: unknown): boolean {
  return hasState(error, /^(55P03|57014)$/)
}

// Not now: it cannot be reached, or is too busy.
export function isAway(error: unknown): boolean {
  return isUnreachable(error) || isOutOfTime(error)
}

// Two transactions waited for each other and this one had to go; it may succeed the next time.
export function isUnlucky(error: unknown): boolean {
  return hasState(error, /^(40001|40P01)$/)
}

// The same work may succeed later. Within a transaction a lost connection and a full disk still have the name
// that the driver gives them.
export function mayPass(error: unknown): boolean {
  return isAway(error) || isUnlucky(error) || isConnectionLoss(error)
}

// For what follows something that was done. null: the database is away, and what was done is told of later.
export async function unlessAway<T>(
  { log }: { readonly log: Pick<Log, 'warn'> },
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (!isAway(error)) throw error
    log.warn({ err: error }, 'The database went away behind something that was done')
    return null
  }
}

// A statement insisted on something that does not hold (the function insist of the schema), and its
// transaction is undone. By the name of what was insisted on, where that matters.
export function isUnmet(error: unknown, what?: string): boolean {
  if (!hasState(error, /^TG001$/)) return false
  return what === undefined || (error instanceof Error && 'constraint' in error && error.constraint === what)
}

export async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isConnectionLoss(error)
      ? new DatabaseUnavailable('The database does not answer', { cause: error })
      : error
  }
}

// Whatever keeps us from connecting, be it a password or a certificate that is no longer right: nothing was
// said yet.
export async function connecting<T>(connect: () => Promise<T>): Promise<T> {
  try {
    return await connect()
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error
    const said = isConnectionLoss(error) ? 'The database does not answer' : 'The database does not let us in'
    throw new DatabaseUnavailable(said, { cause: error })
  }
}

export async function committing<T>(commit: () => Promise<T>): Promise<T> {
  try {
    return await commit()
  } catch (error) {
    // A server without room to write says so, and has undone it.
    if (!isConnectionLoss(error) || hasState(error, /^53100$/)) throw error
    throw new CommitInDoubt('The database went away at a commit', { cause: error })
  }
}

const socketErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
])
// 08: connection exceptions; 25006: the server may only be read, because another one has taken over; 25P03,
// 25P04: it has ended a transaction that took too long, and the connection with it; 57P01 to 57P05: it is
// going down or coming up, or ends the connection; 53100: its disk is full; 53300: too many connections. Not
// 53200, out of memory: that may be of one statement alone, and a smaller batch may still pass.
const lostStates = /^(08|25006|25P0[34]|57P0[1-5]|53100|53300)/
// The driver reports these without any code.
const lostMessages =
  /Connection terminated|timeout e(xceeded when trying to connect|xpired)|Query read timeout|connection error/

function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return false
  const code = codeOf(error)
  return socketErrors.has(code) || lostStates.test(code) || lostMessages.test(error.message)
}

export function hasState(error: unknown, states: RegExp): boolean {
  return error instanceof Error && states.test(codeOf(error))
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

// Without its stack, which tells nothing of a database that is away.
export function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure)
  return failure.cause instanceof Error ? failure.cause.message : failure.message
}
