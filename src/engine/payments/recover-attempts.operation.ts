import { findAttemptById, takeAttempts } from '#engine/payments/attempt.store.ts'
import { Crash, type PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { FenceLost } from '#engine/payments/record-answers.operation.ts'
import { nobodyWaits, resolveAttempt } from '#engine/payments/resolve-attempt.operation.ts'
import { LeaseHorizon } from '#engine/payments/lease-horizon.ts'
import { checkDelayMs } from '#engine/payments/recovery-schedule.ts'
import {
  findNewestAttempt,
  listDueUnresolved,
  listLostAttempts,
  postponeUnresolved,
  raiseWatermark,
  type Unresolved,
} from '#engine/payments/unresolved.store.ts'
import { batchMsMax } from '#platform/postgres/connection.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'

const portion = 50
// An id that was drawn is committed or gone after this long: its transaction may take half of it.
const visibleAfterMs = 2 * batchMsMax

// Finds attempts whose holder died or fell silent and resolves what can be resolved. Any node may run it,
// also several at once: each attempt is taken by its fence. Answers how many it looked at.
export async function recoverAttempts(
  needs: PaymentNeeds,
  { horizon = new LeaseHorizon(), stopping = neverStopping }: Recovering = {},
): Promise<number> {
  const upTo = horizon.see(await findNewestAttempt(needs.batchDb), needs)
  const lost = await takeOverLost(needs, upTo)
  const due = await listDueUnresolved(needs.db, needs.clock.now(), portion)
  const resolved = await resolveInTurn(needs, due, stopping)
  await raiseWatermark(needs.batchDb, needs.clock.now().subtract({ milliseconds: visibleAfterMs }))
  return lost + resolved
}

export type Recovering = {
  readonly horizon?: LeaseHorizon
  // A node that is stopping finishes the one that it is at and leaves the others to the next one.
  readonly stopping?: AbortSignal
}

const neverStopping = new AbortController().signal

// While the acquirer answers nobody, one is enough: each would wait as long as the last one, and what was
// lost meanwhile, and whoever is to be alarmed, would wait for all of them.
async function resolveInTurn(
  needs: PaymentNeeds,
  due: readonly Unresolved[],
  stopping: AbortSignal,
): Promise<number> {
  let resolved = 0
  for (const one of due) {
    if (stopping.aborted) break
    await resolveApart(needs, one)
    resolved += 1
    if (!needs.line.isUp) break
  }
  return resolved
}

// One that cannot be resolved must not keep the others from it: it is logged, and looked at again later.
async function resolveApart(needs: PaymentNeeds, { attemptId, checks }: Unresolved): Promise<void> {
  try {
    const attempt = await findAttemptById(needs.db, attemptId)
    if (attempt) await resolveAttempt(needs, attempt, nobodyWaits)
  } catch (error) {
    logOrThrow(needs, attemptId, error)
    const now = needs.clock.now()
    const until = now.add({ milliseconds: checkDelayMs(checks) })
    await postponeUnresolved(needs.db, { id: attemptId, until, isNotFound: false, now })
  }
}

function logOrThrow(needs: PaymentNeeds, attemptId: bigint, error: unknown): void {
  if (error instanceof Crash || isUnreachable(error)) throw error
  needs.log.error({ err: error, attemptId: String(attemptId) }, 'An attempt could not be resolved')
}

async function takeOverLost(needs: PaymentNeeds, upTo: bigint): Promise<number> {
  const now = needs.clock.now()
  const ids = await listLostAttempts(needs.batchDb, { now, upTo, most: portion })
  if (ids.length === 0) return 0
  const leaseUntil = now.add({ milliseconds: needs.patience.leaseMs })
  const taken = await takeAttempts(needs.db, { ids, now, leaseUntil })
  for (const attempt of taken.filter(({ state }) => state === 'sending')) {
    try {
      await needs.answers.add({ attempt, input: { on: 'lease_lost' } })
    } catch (error) {
      if (!(error instanceof FenceLost)) logOrThrow(needs, attempt.attemptId, error)
    }
  }
  return taken.length
}
