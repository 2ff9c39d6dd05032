import type { DueWork } from '#engine/account-clock/due-work.ts'
import type { MoveNeeds } from '#engine/account-clock/move-clock.operation.ts'
import { runDueWork } from '#engine/account-clock/run-due-work.operation.ts'
import { definePeriodicTask, type Task } from '#platform/tasks/task.ts'

export function runDueWorkTask<Needs extends MoveNeeds>(works: readonly DueWork<Needs>[]): Task<Needs> {
  return definePeriodicTask({
    kind: 'clocks.run_due_work',
    every: { seconds: 10 },
    run: async (needs: Needs, { signal }) => {
      await runDueWork(needs, works, signal)
    },
  })
}
