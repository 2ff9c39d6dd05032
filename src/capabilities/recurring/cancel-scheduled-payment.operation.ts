import { lockInstalmentOf } from '#capabilities/recurring/find-instalment.operation.ts'
import { type Instalment, type InstalmentId, stateWord } from '#capabilities/recurring/instalment.ts'
import { readProgress } from '#capabilities/recurring/instalment.store.ts'
import { setInstalmentCancelled } from '#capabilities/recurring/instalment-move.store.ts'
import { insertInstalments } from '#capabilities/recurring/new-instalment.store.ts'
import { nextInstalments } from '#capabilities/recurring/new-instalments.ts'
import type { Plan } from '#capabilities/recurring/plan.ts'
import { repricePlan } from '#capabilities/recurring/plan.store.ts'
import { insertPlanEvents } from '#capabilities/recurring/plan-event.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { transactAgain, type Tx } from '#platform/postgres/database.ts'

export type ScheduleCancellation = { readonly instalmentId: InstalmentId }

// Takes one payment out of its plan. One that is being charged has to be waited for.
export async function cancelScheduledPayment(
  needs: Pick<EngineContext, 'db' | 'accountClock'>,
  caller: Caller,
  { instalmentId }: ScheduleCancellation,
): Promise<Result<Instalment, 'schedule_not_found' | 'schedule_not_open'>> {
  const at = needs.accountClock.now(caller.accountId)
  return transactAgain(needs.db, async (tx) => {
    const locked = await lockInstalmentOf(tx, caller, instalmentId)
    if (!locked.ok) return locked
    const { plan, instalment } = locked.value
    const { accountId, planId, state } = instalment
    if (state !== 'scheduled' && state !== 'failed')
      return refuse('schedule_not_open', { schedule: instalmentId, state: stateWord(instalment) })
    const because = 'This payment was cancelled by a call'
    await setInstalmentCancelled(tx, { instalmentId, because, at })
    await goOn(tx, plan, at)
    await repricePlan(tx, { planId, payment: null, at })
    const event = { planId, accountId, instalmentId, because, attemptRef: null, nextOn: null }
    await insertPlanEvents(tx, [{ ...event, what: 'cancelled' }], at)
    const after = await lockInstalmentOf(tx, caller, instalmentId)
    return after.ok ? ok(after.value.instalment) : after
  })
}

// A subscription without one of its payments has as many before it as it had.
async function goOn(tx: Tx, plan: Plan, at: Temporal.Instant): Promise<void> {
  const { written, open } = await readProgress(tx, plan.planId)
  await insertInstalments(tx, nextInstalments(plan, { done: written - open, written }, at), at)
}
