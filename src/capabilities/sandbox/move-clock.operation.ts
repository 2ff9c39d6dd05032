import type { Caller } from '#capabilities/wire/caller.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'
import {
  type ClockRefusal,
  type ClockState,
  type ClockWish,
  moveClock,
  type MoveNeeds,
} from '#engine/account-clock/move-clock.operation.ts'
import type { Result } from '#kernel/result.ts'

// Clients hang up sooner or later; what is left then goes on in the background.
const patienceMs = 20_000

// Moves the clock of the caller's account, with all work that falls due on the way.
export function moveAccountClock<Needs extends MoveNeeds>(works: readonly DueWork<Needs>[]) {
  return (
    needs: Needs,
    { accountId, timeZone }: Caller,
    wish: ClockWish,
  ): Promise<Result<ClockState, ClockRefusal>> =>
    moveClock(needs, works, { accountId, timeZone, wish, patienceMs })
}
