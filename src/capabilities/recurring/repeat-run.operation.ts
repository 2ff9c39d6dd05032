import { findInstalments } from '#capabilities/recurring/instalment.store.ts'
import { freeKey } from '#capabilities/recurring/keep-run.operation.ts'
import { type KeyedRun, placesIn } from '#capabilities/recurring/keyed-run.ts'
import {
  findRun,
  listRunItems,
  lockAndCutShort,
  type RunItem,
} from '#capabilities/recurring/keyed-run.store.ts'
import type { Processed } from '#capabilities/recurring/processed.ts'
import { portionSize, type RunNeeds } from '#capabilities/recurring/run-instalments.operation.ts'
import { addResult, cameToNothing, noResults, processedSoFar } from '#capabilities/recurring/run-results.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { findEarlier } from '#engine/idempotency/claim-keys.operation.ts'
import { worksFor } from '#engine/merchants/merchant.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { findAttemptsOf } from '#engine/payments/find-attempt.operation.ts'
import { outcomeOf } from '#engine/payments/outcome.ts'
import { resolveAttempt } from '#engine/payments/resolve-attempt.operation.ts'
import type { AccountId } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// What the run under the caller's key has come to, told from what is stored. One that nobody is at any more
// ends here, so that it charges nothing after it was told. null: the key has led to nothing, and the call may
// run.
export async function repeatRun(
  needs: RunNeeds,
  caller: Caller,
): Promise<Result<Processed, 'key_running'> | null> {
  const { accountId: account, callerKey } = caller
  if (!callerKey) return null
  const earlier = await findEarlier(needs.db, { account, ...callerKey })
  if (!earlier.ok || earlier.value === null) return null
  const found = await findRun(needs.db, { account, name: earlier.value })
  if (!found || !worksFor(caller, found)) return null
  const isOver = found.state !== 'running'
  const run = isOver ? found : await lockAndCutShort(needs.db, found.runId, needs.clock.now())
  if (!run) return refuse('key_running')
  const processed = await tellAgain(needs, run)
  if (!cameToNothing(processed)) return ok(processed)
  await freeKey(needs, { runId: run.runId, state: run.state, account, callerKey })
  return null
}

async function tellAgain(needs: RunNeeds, { runId, accountId, state }: KeyedRun): Promise<Processed> {
  const items = await listRunItems(needs.db, runId)
  const placeOf = placesIn(items)
  const results = noResults()
  for (let at = 0; at < items.length; at += portionSize) {
    const portion = items.slice(at, at + portionSize)
    const [instalments, attempts] = await Promise.all([
      instalmentsOf(needs, accountId, portion),
      attemptsOf(needs, accountId, portion),
    ])
    for (const { instalmentId, attempt: attemptId } of portion) {
      const instalment = instalments.get(instalmentId)
      const attempt = attemptId && attempts.get(attemptId)
      if (instalment && attempt) addResult(results, { instalment, attempt, placeOf })
      else results.untouched.push(instalmentId)
    }
  }
  return processedSoFar(results, state)
}

async function instalmentsOf({ db }: RunNeeds, account: AccountId, items: readonly RunItem[]) {
  const ids = items.map(({ instalmentId }) => instalmentId)
  return new Map((await findInstalments(db, account, ids)).map((one) => [one.instalmentId, one]))
}

async function attemptsOf(needs: RunNeeds, account: AccountId, items: readonly RunItem[]) {
  const keys = items.flatMap(({ attempt }) => (attempt === null ? [] : [{ account, attempt }]))
  const found = await findAttemptsOf(needs, keys)
  const known = await Promise.all(found.map((attempt) => askOnceMore(needs, attempt)))
  return new Map(known.map((attempt) => [attempt.attemptId, attempt]))
}

// As of any call that is repeated before its outcome is known.
async function askOnceMore(needs: RunNeeds, attempt: Attempt): Promise<Attempt> {
  const outcome = outcomeOf(attempt)
  const isKnown = outcome.ok || outcome.refusal.kind !== 'outcome_unknown'
  if (isKnown || !needs.line.isUp) return attempt
  return resolveAttempt(needs, attempt, { isCallerWaiting: () => true })
}
