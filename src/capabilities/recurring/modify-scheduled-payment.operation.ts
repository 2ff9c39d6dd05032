import { lockInstalmentOf } from '#capabilities/recurring/find-instalment.operation.ts'
import { type Instalment, type InstalmentId, whyNotOpen } from '#capabilities/recurring/instalment.ts'
import { reschedule, setInstalmentAmount } from '#capabilities/recurring/instalment-move.store.ts'
import { tooFarAhead } from '#capabilities/recurring/plan-bounds.ts'
import type { Plan } from '#capabilities/recurring/plan.ts'
import { repricePlan } from '#capabilities/recurring/plan.store.ts'
import { insertPlanEvents } from '#capabilities/recurring/plan-event.store.ts'
import { scheduleFor } from '#capabilities/recurring/scheduling.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { type AskedAmount, askedMoneyOrNull } from '#engine/fees/asked-money.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { tooMuchAtOnce } from '#engine/merchants/most-at-once.ts'
import { type Money, printMoney } from '#kernel/money.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { transactAgain, type Tx } from '#platform/postgres/database.ts'

// null leaves a value as it is; one of the two is given.
export type ScheduleChange = {
  readonly instalmentId: InstalmentId
  readonly amount: AskedAmount | null
  readonly dueOn: Temporal.PlainDate | null
  // What the caller calls these, whether they were sent or not, so that a refusal can name them.
  readonly names: Readonly<Record<'amount' | 'dueOn', string>>
}

type ChangeRefusal = 'schedule_not_found' | 'schedule_not_open' | 'value_out_of_range'

// Moves one payment, or changes what it costs. One whose retries are used up is scheduled again by it.
export async function modifyScheduledPayment(
  needs: Pick<EngineContext, 'db' | 'accountClock'>,
  caller: Caller,
  change: ScheduleChange,
): Promise<Result<Instalment, ChangeRefusal>> {
  const at = needs.accountClock.now(caller.accountId)
  return transactAgain(needs.db, async (tx) => {
    const locked = await lockInstalmentOf(tx, caller, change.instalmentId)
    if (!locked.ok) return locked
    const { plan, instalment } = locked.value
    const judged = judge(change, { plan, instalment, today: dateIn(plan.time.timeZone, at) })
    if (!judged.ok) return judged
    await write(tx, { plan, instalment, ...judged.value, at })
    const after = await lockInstalmentOf(tx, caller, change.instalmentId)
    return after.ok ? ok(after.value.instalment) : after
  })
}

type Judged = {
  readonly amount: Money
  // null: the days stay.
  readonly dueOn: Temporal.PlainDate | null
}

type Place = {
  readonly plan: Plan
  readonly instalment: Instalment
  readonly today: Temporal.PlainDate
}

function judge(
  { instalmentId: schedule, amount: asked, dueOn, names }: ScheduleChange,
  { plan, instalment, today }: Place,
): Result<Judged, 'schedule_not_open' | 'value_out_of_range'> {
  const state = whyNotOpen(instalment, today)
  if (state !== null) return refuse('schedule_not_open', { schedule, state })
  const money = askedMoneyOrNull(asked, instalment.amount.currency)
  if (!money.ok) return money
  const amount = money.value ?? instalment.amount
  const member = asked?.member ?? `${names.amount}, which stays as it is,`
  const excess = tooMuchAtOnce(amount, { most: plan.paymentMax, member })
  if (excess) return excess
  const day = dueOn ?? dayOf(instalment, today)
  if (day !== null && Temporal.PlainDate.compare(day, today) < 0)
    return refuse('value_out_of_range', { problem: `${names.dueOn} ${day.toString()} is in the past` })
  return (day && tooFarAhead(day, { today, member: names.dueOn })) ?? ok({ amount, dueOn: day })
}

// A new amount alone leaves the days of what is scheduled. What has failed is due anew: today, or on its day
// if that is still to come.
function dayOf({ state, dueOn }: Instalment, today: Temporal.PlainDate): Temporal.PlainDate | null {
  if (state === 'scheduled') return null
  return Temporal.PlainDate.compare(dueOn, today) < 0 ? today : dueOn
}

type Writing = Judged & {
  readonly plan: Plan
  readonly instalment: Instalment
  readonly at: Temporal.Instant
}

async function write(tx: Tx, { plan, instalment, amount, dueOn, at }: Writing): Promise<void> {
  const { instalmentId, accountId, planId } = instalment
  const day = dueOn ?? instalment.dueOn
  const because = `Moved by a call: ${printMoney(amount)} on ${day.toString()}`
  if (dueOn === null) await setInstalmentAmount(tx, { instalmentId, amount, at })
  else {
    const days = scheduleFor(plan.time, { dueOn: day, at })
    await reschedule(tx, { ...days, instalmentId, amount, because, at })
  }
  await repricePlan(tx, { planId, payment: null, at })
  const event = { planId, accountId, instalmentId, because, attemptRef: null, nextOn: day }
  await insertPlanEvents(tx, [{ ...event, what: 'moved' }], at)
}
