import {
  type ChargedInstalment,
  nextInstalment,
  type NextInstalment,
} from '#capabilities/recurring/charged-instalment.ts'
import {
  cancelScheduled,
  countMissed,
  lockAndTake,
  moveInstalments,
  readTaken,
  type Taken,
} from '#capabilities/recurring/instalment-move.store.ts'
import { insertInstalments } from '#capabilities/recurring/new-instalment.store.ts'
import { nextInstalments } from '#capabilities/recurring/new-instalments.ts'
import type { Plan, PlanEvent } from '#capabilities/recurring/plan.ts'
import { lockPlans, setPlansCancelled } from '#capabilities/recurring/plan.store.ts'
import { insertPlanEvents } from '#capabilities/recurring/plan-event.store.ts'
import { insertPlanPosts } from '#capabilities/recurring/plan-post.store.ts'
import { scheduleEvent } from '#capabilities/recurring/schedule-event.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { NewEvent } from '#engine/events/event.ts'
import type { Follower, Moved } from '#engine/payments/follower.ts'
import { assert } from '#kernel/assert.ts'
import { refuse } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

// What the attempt was prepared from. One that has failed, or is not due, is taken only when somebody asks
// for it.
export type InstalmentDetail = {
  readonly attemptsBefore: number
  readonly takesFailed: boolean
  // The day for which it was due; null when it need not be.
  readonly attemptOn: Temporal.PlainDate | null
}

type Step = {
  readonly moved: Moved
  readonly taken: Taken
  readonly plan: Plan
  readonly next: NextInstalment
}

// The instalment that is being charged: taken before anything is sent, so that it is charged at most once;
// and after the answer paid, tried again on another day, or given up.
export const instalmentFollower: Follower<InstalmentDetail> = {
  name: 'instalment',
  begin: async (tx, starts) => {
    const takings = starts.map(({ attempt, subject, detail }) => ({
      account: attempt.accountId,
      instalment: subject,
      attemptsBefore: detail.attemptsBefore,
      minor: attempt.amounts.total.minor,
      ref: attempt.ref,
      takesFailed: detail.takesFailed,
      attemptOn: detail.attemptOn,
    }))
    const taken = await lockAndTake(tx, takings)
    const missed = takings.filter(({ ref }) => !taken.has(ref))
    if (missed.length > 0) await countMissed(tx, missed)
    return new Map(missed.map(({ ref }) => [ref, refuse('instalment_taken').refusal]))
  },
  follow: async (tx, moved) => {
    const at = moved[0]?.move.at
    const steps = at ? await stepsOf(tx, moved) : []
    if (!at || steps.length === 0) return
    const done = await moveInstalments(
      tx,
      steps.map(({ next }) => next.move),
      at,
    )
    const made = steps.filter(({ taken }) => done.has(taken.instalmentId))
    await Promise.all([
      insertInstalments(
        tx,
        made.flatMap((step) => extensionOf(step, at)),
        at,
      ),
      insertPlanEvents(tx, made.map(planEventOf), at),
      insertPlanPosts(tx, made.flatMap(postOf), at),
      appendEvents(tx, made.flatMap(eventOf), at),
      endPlans(tx, made, at),
    ])
  },
}

async function stepsOf(tx: Tx, moved: readonly Moved[]): Promise<readonly Step[]> {
  const taken = await readTaken(
    tx,
    moved.map(({ subject }) => subject),
  )
  const chargedOf = ({ subject }: Moved): Taken => {
    const charged = taken.get(subject)
    assert(charged, 'an instalment that is being charged is there')
    return charged
  }
  const keys = moved.map((one) => ({ account: one.move.attempt.accountId, plan: chargedOf(one).planId }))
  const plans = new Map((await lockPlans(tx, keys)).map((plan) => [plan.planId, plan]))
  return moved.flatMap((one): readonly Step[] => {
    const charged = chargedOf(one)
    const plan = plans.get(charged.planId)
    assert(plan, 'an instalment has a plan')
    const next = nextInstalment({ charged, plan, move: one.move })
    return next ? [{ moved: one, taken: charged, plan, next }] : []
  })
}

function extensionOf({ taken, plan, next }: Step, at: Temporal.Instant) {
  if (!next.isDone || next.stopsPlan) return []
  return nextInstalments(plan, { done: taken.paymentNumber, written: taken.written }, at)
}

function planEventOf({ moved, taken, next }: Step): PlanEvent {
  const { accountId, ref } = moved.move.attempt
  const isAgain = next.move.state === 'scheduled'
  return {
    planId: taken.planId,
    accountId,
    instalmentId: taken.instalmentId,
    what: next.what,
    because: next.move.because,
    attemptRef: ref,
    nextOn: isAgain ? next.move.attemptOn : null,
  }
}

function postOf({ moved, taken, plan, next }: Step) {
  const { ref } = moved.move.attempt
  return next.what === 'paid' ? [{ plan, instalmentId: taken.instalmentId, ref }] : []
}

function eventOf({ moved, taken, plan, next }: Step): readonly NewEvent[] {
  if (next.event === null) return []
  const { attempt } = moved.move
  const isPaid = next.event === 'schedule.paid'
  return [
    scheduleEvent(next.event, {
      ...placeOf(taken),
      plan,
      amount: isPaid ? attempt.approved.total : attempt.amounts.total,
      transaction: attempt.attemptId,
      code: attempt.resultCode,
      because: next.move.because,
      nextOn: next.event === 'schedule.retry_planned' ? next.move.attemptOn : null,
    }),
  ]
}

function placeOf({ instalmentId, paymentNumber, dueOn }: ChargedInstalment) {
  return { instalmentId, paymentNumber, dueOn }
}

// The network has said that the payer wants no more of it.
async function endPlans(tx: Tx, made: readonly Step[], at: Temporal.Instant): Promise<void> {
  const ends = made
    .filter(({ next }) => next.stopsPlan)
    .map(({ plan, next }) => ({ planId: plan.planId, because: next.move.because }))
  if (ends.length === 0) return
  await setPlansCancelled(tx, ends, at)
  await cancelScheduled(tx, ends, at)
  const endings = made.filter(({ next }) => next.stopsPlan)
  await insertPlanEvents(
    tx,
    endings.map((step) => ({ ...planEventOf(step), instalmentId: null, what: 'cancelled' })),
    at,
  )
}
