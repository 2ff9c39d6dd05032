import type { PayNeeds } from '#capabilities/form-payments/form-payment-needs.ts'
import { forgetOldTries } from '#capabilities/form-payments/guard-tries.operation.ts'
import { definePeriodicTask } from '#platform/tasks/task.ts'

export const forgetOldTriesTask = definePeriodicTask<PayNeeds>({
  kind: 'forms.forget_old_tries',
  every: { hours: 1 },
  run: (needs) => forgetOldTries(needs),
})
