import { setTimeout as delay } from 'node:timers/promises'
import { answerInTime } from '#capabilities/collection/answer-in-time.operation.ts'
import { type KeyedRun, type RunId, toldIn } from '#capabilities/collection/keyed-run.ts'
import { insertRun, removeRun, setTold } from '#capabilities/collection/keyed-run.store.ts'
import type { Processed } from '#capabilities/collection/processed.ts'
import { heldUntil, type Run, type RunNeeds } from '#capabilities/collection/run-instalments.operation.ts'
import { cameToNothing } from '#capabilities/collection/run-results.ts'
import type { InstalmentId } from '#capabilities/recurring/instalment.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { claimCallKey, releaseCallKey } from '#engine/idempotency/claim-keys.operation.ts'
import type { CallerKey } from '#engine/payments/attempt.ts'
import type { AccountId } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'

type Wish = Pick<KeyedRun, 'merchantNumber'> & { readonly named: readonly InstalmentId[] }

// A run that can be told again. Null in its place: the call has no key.
export type KeptRun = {
  readonly runId: RunId
  readonly account: AccountId
  readonly callerKey: CallerKey
  readonly named: readonly InstalmentId[]
}

// Takes the caller's key, before anything is charged.
export async function keepRun(
  needs: RunNeeds,
  { accountId: account, callerKey }: Caller,
  { merchantNumber, named }: Wish,
): Promise<Result<KeptRun | null, 'key_running'>> {
  if (!callerKey) return ok(null)
  const told = named.map((instalmentId) => ({ instalmentId, place: 0 }))
  const at = needs.clock.now()
  const run = { accountId: account, merchantNumber, told, heldUntil: heldUntil(needs), at }
  return needs.db.inTransaction(async (tx) => {
    const runId = await insertRun(tx, run)
    if (await claimCallKey(tx, { account, callerKey, made: { kind: 'run', run: runId } }, at))
      return ok({ runId, account, callerKey, named })
    // Somebody else was first in the very same moment.
    await removeRun(tx, { runId, state: 'running' })
    return refuse('key_running')
  })
}

type Running = { readonly kept: KeptRun | null; readonly run: Run; readonly patienceMs?: number }

// What the caller is told of a run, kept so that it can be told again.
export async function answerRun(needs: RunNeeds, { kept, run, patienceMs }: Running): Promise<Processed> {
  if (!kept) return answerInTime(needs, run, patienceMs)
  const done = run.done.then(
    async (processed) => {
      await note(needs, kept, processed)
      return processed
    },
    async (error: unknown) => {
      await note(needs, kept, null)
      throw error
    },
  )
  const processed = await answerInTime(needs, { done, soFar: () => run.soFar() }, patienceMs)
  if (processed.ending === 'running') await note(needs, kept, processed)
  return processed
}

// In shares of the time for which outcomes are written again.
const noteAgainAfter = [0.05, 0.25, 0.7]

// Again while the database is away. What cannot be noted is told from the payments of the run, when that is
// taken for given up. null: it broke before anything was charged.
async function note(needs: RunNeeds, kept: KeptRun, processed: Processed | null): Promise<void> {
  const pauses = noteAgainAfter.values()
  for (;;) {
    try {
      return await noted(needs, kept, processed)
    } catch (error) {
      const pause = isUnreachable(error) ? pauses.next().value : undefined
      if (pause === undefined)
        return needs.log.warn({ err: error, run: String(kept.runId) }, 'What a run has come to was not noted')
      await delay(pause * needs.patience.recordMs)
    }
  }
}

async function noted(needs: RunNeeds, kept: KeptRun, processed: Processed | null): Promise<void> {
  const { runId, named } = kept
  const isOver = processed?.ending !== 'running'
  if (processed === null || (isOver && cameToNothing(processed)))
    return freeKey(needs, { ...kept, state: 'running' })
  return setTold(needs.db, runId, { state: processed.ending, told: toldIn(processed, named) })
}

type Found = Pick<KeptRun, 'runId' | 'account' | 'callerKey'> & Pick<KeyedRun, 'state'>

// Nothing came of it, so the key is as good as new.
export async function freeKey(
  { db }: Pick<RunNeeds, 'db'>,
  { runId, state, account, callerKey }: Found,
): Promise<void> {
  await db.inTransaction(async (tx) => {
    if (await removeRun(tx, { runId, state }))
      await releaseCallKey(tx, { account, callerKey, made: { kind: 'run', run: runId } })
  })
}
