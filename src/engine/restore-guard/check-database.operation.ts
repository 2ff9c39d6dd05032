import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  findNodes,
  findRefsAt,
  isNodePresent,
  lockNodes,
  readMark,
  registerNode,
  skipIds,
} from '#engine/restore-guard/restore-guard.store.ts'
import {
  cloned,
  covers,
  type Hold,
  isBehind,
  type Mark,
  noMark,
  restored,
  type Sighted,
} from '#engine/restore-guard/sending.ts'
import type { Clock } from '#platform/clock.ts'
import { randomHex } from '#platform/crypto/random.ts'
import type { Database, Tx } from '#platform/postgres/database.ts'
import { readStateFile, writeStateFile } from '#platform/state-file.ts'

export type GuardNeeds = {
  readonly db: Database
  readonly clock: Clock
  // Outside the database, and not part of its backups.
  readonly stateFile: string
}

type NodeState = { readonly nodeId: string; readonly mark: Mark }

// Judges whether this node and this database belong together and neither was set back. With `register`, a
// first node, or one that joins others that live, is written down; without, nothing is.
export async function judgeDatabase(
  needs: GuardNeeds,
  { register }: { readonly register: boolean },
): Promise<Hold | null> {
  const state = readState(needs) ?? (register ? await newState(needs) : null)
  const mark = state?.mark ?? noMark
  return needs.db.inTransaction(async (tx) => {
    await lockNodes(tx)
    if (isBehind(mark, await findRefsAt(tx, mark))) return { kind: 'paused', because: restored }
    return judgeNode(needs, tx, { digest: digestOf(state?.nodeId ?? ''), register })
  })
}

async function judgeNode(
  { clock }: GuardNeeds,
  tx: Tx,
  { digest, register }: { digest: string; register: boolean },
): Promise<Hold | null> {
  const { isRegistered, registeredAt } = await findNodes(tx, digest)
  if (isRegistered) return null
  // Nodes that start at once on a new database: the others have not shown themselves yet, and none has sent
  // anything.
  const isBeginning = registeredAt.every((at) => isJustNow(clock, at)) && (await hasSentNothing(tx))
  const isNew = registeredAt.length === 0 || isBeginning
  const reason = isNew ? 'first' : (await isNodePresent(tx)) ? 'joined' : null
  if (reason === null) return { kind: 'paused', because: cloned }
  if (register) await registerNode(tx, { digest, at: clock.now(), reason })
  return null
}

const startMsMax = 60_000

function isJustNow(clock: Clock, at: Temporal.Instant): boolean {
  return clock.now().epochMilliseconds - at.epochMilliseconds < startMsMax
}

async function hasSentNothing(tx: Tx): Promise<boolean> {
  return (await readMark(tx)).attempt.id === noMark.attempt.id
}

// More than a database that is set back by days has forgotten.
const skippedIds = 1_000_000n

// An operator has made sure that nothing is charged twice: the node is registered, and the database is
// believed as it is now. Ids that it has forgotten are not given again: a link that was sent, a consent or
// transaction that somebody noted, and a place in the feed of events would be another one's.
export async function confirmDatabase(needs: GuardNeeds, reason: string): Promise<void> {
  const { nodeId } = readState(needs) ?? (await newState(needs))
  const mark = await needs.db.inTransaction(async (tx) => {
    await skipIds(tx, skippedIds)
    await registerNode(tx, { digest: digestOf(nodeId), at: needs.clock.now(), reason })
    return readMark(tx)
  })
  await writeState(needs, { nodeId, mark })
}

// How far the database has come since it was looked at last. Answers null when it has gone back.
export async function seeMark({ db }: Pick<GuardNeeds, 'db'>, last: Mark): Promise<Mark | null> {
  const [refs, mark] = await Promise.all([findRefsAt(db, last), readMark(db)])
  return isBehind(last, refs) ? null : mark
}

// A node whose file is gone would be another one at its next start, and must not go on as if it had one: the
// folder may come back with the file of before.
export async function writeMark(needs: GuardNeeds, mark: Mark): Promise<void> {
  const state = readState(needs)
  if (!state) throw new Error(`${needs.stateFile} is gone, or nothing that can be read`)
  await writeState(needs, { nodeId: state.nodeId, mark })
}

// What is on disk now.
export function readNotedMark(needs: Pick<GuardNeeds, 'stateFile'>): Mark {
  return readState(needs)?.mark ?? noMark
}

const askEveryMs = 100

// Whether the gateway that runs from this folder has written down what can be seen now, for which it has a
// while: it looks once a second.
export async function isMarkNoted(needs: GuardNeeds, patienceMs: number): Promise<boolean> {
  const seen = await readMark(needs.db)
  const until = performance.now() + patienceMs
  while (!covers(readNotedMark(needs), seen)) {
    if (performance.now() > until) return false
    await delay(askEveryMs)
  }
  return true
}

// All that were ever registered: one that is gone for good is never forgotten.
export async function countNodes({ db }: Pick<GuardNeeds, 'db'>): Promise<number> {
  return (await findNodes(db, digestOf(''))).registeredAt.length
}

function digestOf(nodeId: string): string {
  return createHash('sha256').update(nodeId).digest('hex')
}

async function newState(needs: GuardNeeds): Promise<NodeState> {
  const state = { nodeId: randomHex(256), mark: noMark }
  await writeState(needs, state)
  return state
}

function readState({ stateFile }: Pick<GuardNeeds, 'stateFile'>): NodeState | null {
  const { nodeId, attemptId, ref, batchId, batchRef } = readStateFile(stateFile) ?? {}
  const attempt = sighted(attemptId, ref)
  if (typeof nodeId !== 'string' || !attempt) return null
  // Versions before this one did not write it.
  return { nodeId, mark: { attempt, batch: sighted(batchId, batchRef) ?? noMark.batch } }
}

function sighted(id: unknown, ref: unknown): Sighted | null {
  const isWhole = typeof id === 'string' && /^\d{1,19}$/.test(id) && typeof ref === 'string'
  return isWhole ? { id: BigInt(id), ref } : null
}

function writeState(
  { stateFile }: Pick<GuardNeeds, 'stateFile'>,
  { nodeId, mark: { attempt, batch } }: NodeState,
): Promise<void> {
  const sightings = { attemptId: String(attempt.id), ref: attempt.ref }
  return writeStateFile(stateFile, { nodeId, ...sightings, batchId: String(batch.id), batchRef: batch.ref })
}
