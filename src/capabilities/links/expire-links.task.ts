import { accountsWithOldLinks, expireLinks, nextOldLink } from '#capabilities/links/expire-links.operation.ts'
import { forgetOldLinks } from '#capabilities/links/forget-old-links.operation.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'
import type { EngineContext } from '#engine/context.ts'
import { definePeriodicTask } from '#platform/tasks/task.ts'

export const expireLinksWork: DueWork<Pick<EngineContext, 'db' | 'clock'>> = {
  name: 'links.expire',
  accountsDue: accountsWithOldLinks,
  nextDue: nextOldLink,
  runDue: expireLinks,
}

export const forgetOldLinksTask = definePeriodicTask<EngineContext>({
  kind: 'links.forget_old',
  every: { hours: 24 },
  run: (needs) => forgetOldLinks(needs),
})
