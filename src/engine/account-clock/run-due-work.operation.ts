import { listUnfinishedMoves } from '#engine/account-clock/account-clock.store.ts'
import type { DueWork, Tell } from '#engine/account-clock/due-work.ts'
import { finishMove, type MoveNeeds } from '#engine/account-clock/move-clock.operation.ts'
import { refreshClocks } from '#engine/account-clock/refresh-clocks.operation.ts'
import { askApart, firstDue, runAllDue } from '#engine/account-clock/run-all-due.operation.ts'
import { inTurn } from '#engine/account-clock/take-turn.operation.ts'
import type { AccountId } from '#kernel/ids.ts'

// Accounts whose due work is run at the same time.
const lanes = 4
// A diary is kept of what the time machine does.
const tellNobody: Tell = async () => undefined
const longAgo = Temporal.Instant.fromEpochMilliseconds(0)

// One round for all accounts, as real time passes. Whatever was missed while no gateway ran is caught up.
// Answers how many accounts had something due.
export async function runDueWork<Needs extends MoveNeeds>(
  needs: Needs,
  works: readonly DueWork<Needs>[],
  signal: AbortSignal,
): Promise<number> {
  if (needs.sending.hold) return 0
  await refreshClocks(needs)
  const [due, unfinished] = await Promise.all([
    listAccountsDue(needs, works),
    listUnfinishedMoves(needs.db, needs.clock.now()),
  ])
  const waiting = [
    ...unfinished.map((accountId) => () => resume(needs, works, { accountId, signal })),
    ...due.map((accountId) => () => runForAccount(needs, works, { accountId, signal })),
  ]
  await Promise.all(Array.from({ length: lanes }, () => runLane(waiting, signal)))
  return due.length
}

async function runLane(waiting: (() => Promise<unknown>)[], signal: AbortSignal): Promise<void> {
  for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) await next()
}

type Due = { readonly accountId: AccountId; readonly signal: AbortSignal }

function runForAccount<Needs extends MoveNeeds>(needs: Needs, works: readonly DueWork<Needs>[], due: Due) {
  return inTurn(needs, due, async ({ signal, movingTo }) => {
    // The time machine is at work, or will go on where it was cut short: in order of time.
    if (movingTo) return
    const at = needs.accountClock.now(due.accountId)
    await runAllDue(needs, works, { accountId: due.accountId, at, signal, tell: tellNobody })
  })
}

// Goes on with a move of the sandbox's clock whose mover died or ran out of time.
function resume<Needs extends MoveNeeds>(needs: Needs, works: readonly DueWork<Needs>[], due: Due) {
  return inTurn(needs, due, (turn) => finishMove(needs, works, turn))
}

// Accounts that are ahead of real time are asked one by one: there are few, and only in the sandbox.
async function listAccountsDue<Needs extends MoveNeeds>(
  needs: Needs,
  works: readonly DueWork<Needs>[],
): Promise<readonly AccountId[]> {
  const now = needs.clock.now()
  const byRealTime = await Promise.all(
    works.map((work) => askApart(needs, work, { ask: () => work.accountsDue(needs, now), none: [] })),
  )
  const ahead = await Promise.all(
    needs.movedClocks.moved.map(async (accountId) => {
      const span = { accountId, after: longAgo, until: needs.accountClock.now(accountId) }
      const next = await firstDue(needs, works, span)
      return next === null ? [] : [accountId]
    }),
  )
  return [...new Set([...byRealTime.flat(), ...ahead.flat()])]
}
