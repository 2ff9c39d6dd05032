import type { Caller } from '#capabilities/wire/caller.ts'
import { type ClockState, type MoveNeeds, showClock } from '#engine/account-clock/move-clock.operation.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export async function showAccountClock(
  needs: MoveNeeds,
  { accountId }: Caller,
): Promise<Result<ClockState, 'clock_is_live'>> {
  if (needs.keyRing.mode === 'live') return refuse('clock_is_live')
  return ok(await showClock(needs, accountId))
}
