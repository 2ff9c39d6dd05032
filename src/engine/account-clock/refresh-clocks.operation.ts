import type { AccountClocks } from '#engine/account-clock/account-clock.ts'
import { loadOffsets } from '#engine/account-clock/account-clock.store.ts'
import type { SendingGate } from '#engine/restore-guard/sending.ts'
import type { KeyRing } from '#platform/crypto/key-ring.ts'
import type { Database } from '#platform/postgres/database.ts'

export type ClockNeeds = {
  readonly db: Database
  readonly keyRing: KeyRing
  readonly sending: SendingGate
  readonly movedClocks: Pick<AccountClocks, 'moved' | 'setOffsets'>
}

// Learns how far which account is ahead of real time: at the start, and whenever somebody has moved a clock.
// Live accounts are never ahead.
export async function refreshClocks({
  db,
  keyRing,
  movedClocks,
}: Omit<ClockNeeds, 'sending'>): Promise<void> {
  if (keyRing.mode === 'live') return
  movedClocks.setOffsets(await loadOffsets(db))
}
