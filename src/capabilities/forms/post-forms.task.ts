import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import { postForms } from '#capabilities/forms/post-forms.operation.ts'
import { postPlans } from '#capabilities/forms/post-plans.operation.ts'
import { removeOldForms } from '#capabilities/forms/remove-old-forms.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { definePeriodicTask } from '#platform/tasks/task.ts'

// For forms whose outcome the recoverer found, or whose gateway died before it could queue anything.
export const postFormsTask = definePeriodicTask<EngineContext & FormNeeds>({
  kind: 'forms.post',
  every: { seconds: 5 },
  run: (needs) => postForms(needs, null),
})

export const postPlansTask = definePeriodicTask<EngineContext & FormNeeds>({
  kind: 'plans.post',
  every: { seconds: 5 },
  run: (needs) => postPlans(needs),
})

export const removeOldFormsTask = definePeriodicTask<EngineContext & FormNeeds>({
  kind: 'forms.remove_old',
  every: { hours: 24 },
  run: (needs) => removeOldForms(needs),
})
