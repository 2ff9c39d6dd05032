import type { DiaryEntry, DueWork } from '#engine/account-clock/due-work.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { World } from './session-world.ts'

// Does what is due now by the account's clock, and answers what is told of it.
export async function runDueNow(
  needs: World,
  work: DueWork<World>,
  accountId: AccountId,
): Promise<readonly DiaryEntry[]> {
  const diary: DiaryEntry[] = []
  await work.runDue(needs, {
    accountId,
    at: needs.accountClock.now(accountId),
    signal: new AbortController().signal,
    tell: async (entries) => void diary.push(...entries),
  })
  return diary
}
