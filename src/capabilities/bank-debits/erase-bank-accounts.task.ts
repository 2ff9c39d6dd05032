import type { AchNeeds } from '#capabilities/bank-debits/ach-needs.ts'
import { eraseBankAccounts } from '#capabilities/bank-debits/erase-bank-accounts.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { definePeriodicTask } from '#platform/tasks/task.ts'

export const eraseBankAccountsTask = definePeriodicTask<EngineContext & AchNeeds>({
  kind: 'bank-debits.erase_accounts',
  every: { hours: 6 },
  run: async (needs) => {
    const erased = await eraseBankAccounts(needs)
    if (erased > 0) needs.log.info({ erased }, 'Erased numbers of bank accounts because of their age')
  },
})
