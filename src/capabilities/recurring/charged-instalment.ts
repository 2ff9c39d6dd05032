import { collectionDay } from '#capabilities/recurring/collection-day.ts'
import type { InstalmentId, InstalmentState, PlanId } from '#capabilities/recurring/instalment.ts'
import type { Plan, PlanEventKind } from '#capabilities/recurring/plan.ts'
import { decideRetry, type RetryDecision, triedOut } from '#capabilities/recurring/retry-rule.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { isToldAsDeclined, type Move } from '#engine/payments/attempt.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import { printMoney, subtractMoney } from '#kernel/money.ts'

// An instalment that is being charged, as its row tells.
export type ChargedInstalment = {
  readonly instalmentId: InstalmentId
  readonly planId: PlanId
  readonly paymentNumber: number
  readonly dueOn: Temporal.PlainDate
  readonly attemptOn: Temporal.PlainDate
  readonly collectOn: Temporal.PlainDate
  readonly tries: number
  readonly declines: number
  readonly declinedOn: Temporal.PlainDate | null
  // Its retries were used up before somebody asked for it once more.
  readonly hadFailed: boolean
  readonly brand: CardBrand
}

// What a move of its attempt makes of an instalment.
export type InstalmentMove = {
  readonly instalmentId: InstalmentId
  readonly ref: AcquirerRef
  readonly state: InstalmentState
  readonly attemptOn: Temporal.PlainDate
  readonly collectOn: Temporal.PlainDate
  readonly declines: number
  readonly declinedOn: Temporal.PlainDate | null
  readonly isFinalFailure: boolean
  readonly because: string
  // Otherwise it was no try.
  readonly reachedBank: boolean
}

export type NextInstalment = {
  readonly move: InstalmentMove
  readonly what: PlanEventKind
  readonly event: 'schedule.paid' | 'schedule.failed' | 'schedule.retry_planned' | null
  // The plan ends with it.
  readonly stopsPlan: boolean
  // Nothing more is tried by itself, so a subscription goes on to the next one.
  readonly isDone: boolean
}

type Case = { readonly charged: ChargedInstalment; readonly plan: Plan; readonly move: Move }

// Pure; null where a move changes nothing for the instalment.
export function nextInstalment(the: Case): NextInstalment | null {
  const { attempt, to } = the.move
  switch (to) {
    case 'approved':
      return paid(the, `Approved ${attempt.approvalCode}`)
    case 'partial':
      return paid(the, `Approved ${attempt.approvalCode} in part: ${restOf(the)} is left`)
    case 'declined':
      return declined(the)
    case 'reversed':
      return isToldAsDeclined(attempt) ? declined(the) : takenBack(the)
    case 'not_sent':
      return again(the, 'The acquirer could not be reached, nothing was charged')
    case 'refused':
      return again(the, 'It was not let through, nothing was sent')
    case 'unknown':
      return open(the)
    default:
      return null
  }
}

function restOf({ move: { attempt } }: Case): string {
  return printMoney(subtractMoney(attempt.amounts.total, attempt.approved.total))
}

function paid(the: Case, because: string): NextInstalment {
  const move = { ...unchanged(the), state: 'paid', declines: 0, declinedOn: null, because } as const
  return { move, what: 'paid', event: 'schedule.paid', stopsPlan: false, isDone: true }
}

function open(the: Case): NextInstalment {
  const because = 'The acquirer did not answer: we keep asking'
  const move = { ...unchanged(the), state: 'charging', because } as const
  return { move, what: 'unknown', event: null, stopsPlan: false, isDone: false }
}

// It counts as a try, and may have been the last.
function takenBack(the: Case): NextInstalment {
  const because = 'The approval was taken back by the bank'
  const limit = triedOut(the.charged, dayOf(the))
  if (limit === null) return again(the, because)
  const move = { ...unchanged(the), state: 'failed', because: `${because}; it was ${limit}` } as const
  return { move, what: 'declined', event: 'schedule.failed', stopsPlan: false, isDone: true }
}

// Nothing happened: it is as it was. An automatic run takes it up on its next day, unless it had failed.
function again(the: Case, because: string): NextInstalment {
  const { charged, plan, move: asked } = the
  const nothing = { what: 'not_sent', event: null, stopsPlan: false, isDone: false } as const
  if (charged.hadFailed) {
    const still = `${because}; its retries stay used up`
    return { ...nothing, move: { ...unchanged(the), state: 'failed', because: still } }
  }
  const isOver = plan.state === 'cancelled'
  const collectOn = collectionDay(plan.time, { attemptOn: charged.attemptOn, scheduledAt: asked.at })
  const state = isOver ? 'cancelled' : 'scheduled'
  return { ...nothing, move: { ...unchanged(the), state, collectOn, because } }
}

function declined(the: Case): NextInstalment {
  const { charged, move: asked } = the
  const on = dayOf(the)
  const declines = charged.declines + 1
  const declinedOn = charged.declinedOn ?? on
  const decision = decideRetry({
    code: asked.attempt.resultCode,
    advice: asked.answer?.kind === 'declined' ? (asked.answer.advice ?? '') : '',
    brand: charged.brand,
    on,
    tries: charged.tries,
    declines,
    firstOn: declinedOn,
  })
  const counted = { ...unchanged(the), declines, declinedOn, because: decision.because }
  return afterDecline(the, decision, counted)
}

function dayOf({ plan, move }: Case): Temporal.PlainDate {
  return dateIn(plan.time.timeZone, move.at)
}

function afterDecline(
  { plan, move }: Case,
  decision: RetryDecision,
  counted: Omit<InstalmentMove, 'state'>,
): NextInstalment {
  const failed = { what: 'declined', event: 'schedule.failed', isDone: true } as const
  if (decision.kind !== 'retry') {
    const isFinalFailure = decision.kind !== 'exhausted'
    const stopsPlan = decision.kind === 'stop'
    return { ...failed, move: { ...counted, state: 'failed', isFinalFailure }, stopsPlan }
  }
  if (plan.state === 'cancelled') {
    const because = `Declined ${move.attempt.resultCode}; the plan is cancelled, so it is not tried again`
    return { ...failed, move: { ...counted, state: 'cancelled', because }, stopsPlan: false }
  }
  const collectOn = collectionDay(plan.time, { attemptOn: decision.on, scheduledAt: move.at })
  return {
    move: { ...counted, state: 'scheduled', attemptOn: decision.on, collectOn },
    what: 'declined',
    event: 'schedule.retry_planned',
    stopsPlan: false,
    isDone: false,
  }
}

function unchanged({ charged, move }: Case): Omit<InstalmentMove, 'state' | 'because'> {
  const { attempt, to, answer } = move
  const wasAsked = !(answer?.kind === 'declined' && answer.isOurOwn)
  const { instalmentId, attemptOn, collectOn, declines, declinedOn } = charged
  return {
    instalmentId,
    ref: attempt.ref,
    attemptOn,
    collectOn,
    declines,
    declinedOn,
    isFinalFailure: false,
    reachedBank: to !== 'not_sent' && to !== 'refused' && wasAsked,
  }
}
