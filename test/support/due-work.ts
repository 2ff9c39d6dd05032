import type { DiaryEntry, DueMoment, DueWork } from '#engine/account-clock/due-work.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { World } from './session-world.ts'

// Does what is due now by the account's clock, and answers what is told of it.
export function runDueNow(
  needs: World,
  work: DueWork<World>,
  accountId: AccountId,
): Promise<readonly DiaryEntry[]> {
  return runDueAt(needs, work, { accountId, at: needs.accountClock.now(accountId) })
}

export async function runDueAt(
  needs: World,
  work: DueWork<World>,
  { accountId, at }: Pick<DueMoment, 'accountId' | 'at'>,
): Promise<readonly DiaryEntry[]> {
  const diary: DiaryEntry[] = []
  await work.runDue(needs, {
    accountId,
    at,
    signal: new AbortController().signal,
    tell: async (entries) => void diary.push(...entries),
  })
  return diary
}
