import { resolveBatches } from '#capabilities/settlement/resolve-batches.operation.ts'
import type { SettlementNeeds } from '#capabilities/settlement/settle.operation.ts'
import { definePeriodicTask } from '#platform/tasks/task.ts'

export const resolveBatchesTask = definePeriodicTask<SettlementNeeds>({
  kind: 'settlement.resolve',
  every: { seconds: 15 },
  run: async (needs) => {
    await resolveBatches(needs)
  },
})
