import { readClock, setClock } from '#engine/account-clock/account-clock.store.ts'
import { appendDiary, clearDiary, type Diary, readDiary } from '#engine/account-clock/diary.store.ts'
import type { DueWork, Tell } from '#engine/account-clock/due-work.ts'
import { type ClockNeeds, refreshClocks } from '#engine/account-clock/refresh-clocks.operation.ts'
import { firstDue, runAllDue } from '#engine/account-clock/run-all-due.operation.ts'
import { inTurn, type Turn, TurnLost } from '#engine/account-clock/take-turn.operation.ts'
import { countUnresolvedOf } from '#engine/payments/count-unresolved.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { printMoment } from '#kernel/calendar.ts'
import type { AccountId } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type MoveNeeds = PaymentNeeds & ClockNeeds

export type ClockWish =
  | { readonly kind: 'advance'; readonly by: Temporal.Duration }
  | { readonly kind: 'set'; readonly to: Temporal.Instant }

export type ClockMove = {
  readonly accountId: AccountId
  // Where a day and a month have their length.
  readonly timeZone: string
  readonly wish: ClockWish
  // After this long the rest is left to whoever runs due work in the background; null waits for the end.
  readonly patienceMs: number | null
}

export type ClockState = {
  readonly now: Temporal.Instant
  // Not null while the clock is on its way there.
  readonly movingTo: Temporal.Instant | null
  // Of the last move, from its beginning.
  readonly diary: Diary
  // Attempts of the account whose outcome is not known yet.
  readonly unresolved: number
}

export type ClockRefusal =
  | 'clock_is_live'
  | 'clock_is_moving'
  | 'clock_goes_forward'
  | 'clock_too_far'
  | 'paused'

const yearsMax = 10
const diaryShownMax = 1_000
// Somebody who runs what is due by real time is done in a moment, as a rule.
const turnPatienceMs = 10_000
const turnPollMs = 50

export async function showClock(needs: MoveNeeds, accountId: AccountId): Promise<ClockState> {
  await refreshClocks(needs)
  const [{ movingTo }, diary, unresolved] = await Promise.all([
    readClock(needs.db, accountId),
    readDiary(needs.db, accountId, diaryShownMax),
    countUnresolvedOf(needs, accountId),
  ])
  return { now: needs.accountClock.now(accountId), movingTo, diary, unresolved }
}

// The time machine: moves the clock of a sandbox account forward and does on the way, in order of time, all
// that falls due. The clock is moved step by step as work is done, so that whatever is recorded carries the
// date on which it was due, and a crash loses nothing: the next round of due work goes on from there. An
// advance that finds a move cut short finishes that one and moves no further, so sending it again is safe.
export async function moveClock<Needs extends MoveNeeds>(
  needs: Needs,
  works: readonly DueWork<Needs>[],
  move: ClockMove,
): Promise<Result<ClockState, ClockRefusal>> {
  if (needs.keyRing.mode === 'live') return refuse('clock_is_live')
  if (needs.sending.hold) return refuse('paused', { because: needs.sending.hold.because })
  const began = performance.now()
  for (;;) {
    const turn = { accountId: move.accountId, signal: null }
    const moved = await inTurn(needs, turn, (taken) => moveInTurn(needs, works, { move, turn: taken, began }))
    if (moved) return moved.done.ok ? ok(await showClock(needs, move.accountId)) : moved.done
    const { movingTo } = await readClock(needs.db, move.accountId)
    if (movingTo) return refuse('clock_is_moving', { to: printMoment(movingTo) })
    if (performance.now() - began > turnPatienceMs) return refuse('clock_is_moving', { to: 'now' })
    await new Promise((resolve) => setTimeout(resolve, turnPollMs))
  }
}

type Moving = { readonly move: ClockMove; readonly turn: Turn; readonly began: number }

async function moveInTurn<Needs extends MoveNeeds>(
  needs: Needs,
  works: readonly DueWork<Needs>[],
  { move, turn, began }: Moving,
): Promise<Result<null, ClockRefusal>> {
  await refreshClocks(needs)
  const target = targetOf(needs, move, turn)
  if (!target.ok) return target
  if (!turn.movingTo) await clearDiary(needs.db, turn.accountId)
  await setTo(needs, turn, { at: needs.accountClock.now(turn.accountId), movingTo: target.value })
  const { patienceMs } = move
  const hasTime = () => patienceMs === null || performance.now() - began < patienceMs
  await moveTo(needs, works, { turn, target: target.value, hasTime })
  return ok(null)
}

function targetOf(
  needs: MoveNeeds,
  { wish, timeZone }: ClockMove,
  { accountId, movingTo }: Turn,
): Result<Temporal.Instant, ClockRefusal> {
  const now = needs.accountClock.now(accountId)
  if (movingTo && wish.kind === 'advance') return ok(movingTo)
  const local = now.toZonedDateTimeISO(timeZone)
  const wished = wish.kind === 'set' ? wish.to : local.add(wish.by).toInstant()
  const target = movingTo && Temporal.Instant.compare(wished, movingTo) < 0 ? movingTo : wished
  if (Temporal.Instant.compare(target, now) < 0)
    return refuse('clock_goes_forward', { member: wish.kind, now: printMoment(now) })
  const last = local.add({ years: yearsMax }).toInstant()
  return Temporal.Instant.compare(target, last) > 0
    ? refuse('clock_too_far', { member: wish.kind, years: yearsMax })
    : ok(target)
}

// Goes on where a mover died or ran out of time.
export async function finishMove<Needs extends MoveNeeds>(
  needs: Needs,
  works: readonly DueWork<Needs>[],
  turn: Turn,
): Promise<void> {
  if (!turn.movingTo) return
  await refreshClocks(needs)
  await moveTo(needs, works, { turn, target: turn.movingTo, hasTime: () => true })
}

type Journey = {
  readonly turn: Turn
  readonly target: Temporal.Instant
  readonly hasTime: () => boolean
}

// What could not be done at its moment, because an outcome is not known or the bank is silent, is not waited
// for: time goes on, and whoever resolves it dates it by the account's clock then.
async function moveTo<Needs extends MoveNeeds>(
  needs: Needs,
  works: readonly DueWork<Needs>[],
  { turn, target, hasTime }: Journey,
): Promise<void> {
  const { accountId, signal } = turn
  const tell: Tell = async (entries) => {
    if (entries.length > 0) await appendDiary(needs.db, accountId, entries)
  }
  await recoverAttempts(needs)
  let at: Temporal.Instant | null = needs.accountClock.now(accountId)
  while (at) {
    await runAllDue(needs, works, { accountId, at, signal, tell })
    const next: Temporal.Instant | null = await firstDue(needs, works, {
      accountId,
      after: at,
      until: target,
    })
    if (signal.aborted || (next && !hasTime())) return
    if (next) await setTo(needs, turn, { at: next, movingTo: target })
    at = next
  }
  await setTo(needs, turn, { at: target, movingTo: null })
  await recoverAttempts(needs)
}

async function setTo(
  needs: MoveNeeds,
  turn: Turn,
  { at, movingTo }: { at: Temporal.Instant; movingTo: Temporal.Instant | null },
): Promise<void> {
  const aheadMs = Math.max(0, at.epochMilliseconds - needs.clock.now().epochMilliseconds)
  const isOurs = await setClock(needs.db, turn, { aheadMs, movingTo })
  if (!isOurs) throw new TurnLost('Another node has taken over')
  await refreshClocks(needs)
}
