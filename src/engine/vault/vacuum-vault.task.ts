import { hasVaultRemains, type VacuumNeeds, vacuumVault } from '#engine/vault/vacuum-vault.operation.ts'
import { definePeriodicTask } from '#platform/tasks/task.ts'

export const vacuumVaultTask = definePeriodicTask<VacuumNeeds>({
  kind: 'vault.vacuum',
  every: { minutes: 1 },
  run: async (needs) => {
    if (await hasVaultRemains(needs)) await vacuumVault(needs)
  },
})
