import type { Lockout } from '#capabilities/sessions/lockout.ts'
import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import { listLockedOut } from '#capabilities/sessions/sign-in.store.ts'

// Which accounts failed sign-ins lock out at this moment, by account code. An operator's lock is none.
export function listLockouts({
  db,
  clock,
}: Pick<SessionNeeds, 'db' | 'clock'>): Promise<ReadonlyMap<string, Lockout>> {
  return listLockedOut(db, clock.now())
}
