import { freeKey } from '#capabilities/collection/keep-run.operation.ts'
import {
  isSameTold,
  type KeyedRun,
  placesIn,
  type RunId,
  toldIn,
} from '#capabilities/collection/keyed-run.ts'
import {
  findRun,
  listRunItems,
  lockAndCutShort,
  replaceTold,
  type RunItem,
} from '#capabilities/collection/keyed-run.store.ts'
import type { Processed } from '#capabilities/collection/processed.ts'
import { portionSize, type RunNeeds } from '#capabilities/collection/run-instalments.operation.ts'
import { addResult, cameToNothing, noResults, processedSoFar } from '#capabilities/collection/run-results.ts'
import { findInstalments } from '#capabilities/recurring/find-instalment.operation.ts'
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
  if (!earlier.ok || earlier.value?.kind !== 'run') return null
  const found = await findRun(needs.db, { account, run: earlier.value.run })
  if (!found || !worksFor(caller, found)) return null
  const isOver = found.state !== 'running'
  const run = isOver ? found : await lockAndCutShort(needs.db, found.runId, needs.clock.now())
  if (!run) return refuse('key_running')
  const { runId, state } = run
  const items = await listRunItems(needs.db, runId)
  const processed = await tellAgain(needs, run, items)
  if (cameToNothing(processed)) {
    await freeKey(needs, { runId, state, account, callerKey })
    return null
  }
  return (await keepPlaces(needs, runId, { items, processed })) ? ok(processed) : repeatRun(needs, caller)
}

type Told = { readonly items: readonly RunItem[]; readonly processed: Processed }

// Whatever has got its place now keeps it. Where somebody else was first, their answer is the one to tell.
async function keepPlaces({ db }: RunNeeds, run: RunId, { items, processed }: Told): Promise<boolean> {
  const before = items.filter(({ isTold }) => isTold)
  const now = toldIn(processed, [])
  const isAsBefore = now.length === before.length && now.every((one, at) => isSameTold(one, before[at]))
  return isAsBefore || replaceTold(db, run, { before, now })
}

async function tellAgain(
  needs: RunNeeds,
  { accountId, state }: KeyedRun,
  items: readonly RunItem[],
): Promise<Processed> {
  const askOnceMore = inquirer(needs)
  const placeOf = placesIn(items)
  const results = noResults()
  for (let at = 0; at < items.length; at += portionSize) {
    const portion = items.slice(at, at + portionSize)
    const [instalments, attempts] = await Promise.all([
      instalmentsOf(needs, accountId, portion),
      attemptsOf(needs, accountId, portion),
    ])
    const known = await Promise.all(attempts.map(askOnceMore))
    const attemptsBy = new Map(known.map((attempt) => [attempt.attemptId, attempt]))
    for (const { instalmentId, attempt: attemptId } of portion) {
      const instalment = instalments.get(instalmentId)
      const attempt = attemptId && attemptsBy.get(attemptId)
      if (instalment && attempt) addResult(results, { instalment, attempt, placeOf })
      else results.untouched.push(instalmentId)
    }
  }
  return processedSoFar(results, state)
}

async function instalmentsOf(needs: RunNeeds, account: AccountId, items: readonly RunItem[]) {
  const ids = items.map(({ instalmentId }) => instalmentId)
  return new Map((await findInstalments(needs, account, ids)).map((one) => [one.instalmentId, one]))
}

function attemptsOf(needs: RunNeeds, account: AccountId, items: readonly RunItem[]) {
  const keys = items.flatMap(({ attempt }) => (attempt === null ? [] : [{ account, attempt }]))
  return findAttemptsOf(needs, keys)
}

// As of any call that is repeated before its outcome is known. But of a portion at the most, because somebody
// waits: the recoverer asks about the others by itself.
function inquirer(needs: RunNeeds): (attempt: Attempt) => Promise<Attempt> {
  let left = portionSize
  return async (attempt) => {
    const outcome = outcomeOf(attempt)
    const isKnown = outcome.ok || outcome.refusal.kind !== 'outcome_unknown'
    if (isKnown || !needs.line.isUp || left === 0) return attempt
    left -= 1
    return resolveAttempt(needs, attempt, { isCallerWaiting: () => true })
  }
}
