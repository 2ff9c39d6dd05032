import { accountsWithOldLinks, expireLinks, nextOldLink } from '#capabilities/links/expire-links.operation.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'
import type { EngineContext } from '#engine/context.ts'

export const expireLinksWork: DueWork<Pick<EngineContext, 'db' | 'clock'>> = {
  name: 'links.expire',
  accountsDue: accountsWithOldLinks,
  nextDue: nextOldLink,
  runDue: expireLinks,
}
