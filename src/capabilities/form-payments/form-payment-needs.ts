import type { TriesUnderWay } from '#capabilities/form-payments/tries-under-way.ts'
import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import type { EngineContext } from '#engine/context.ts'

// What this slice needs beyond the engine's context and the form's own needs; apps/build-context.ts makes it.
export type FormPaymentNeeds = {
  // Whether card testing is held off.
  readonly hasFormLimits: boolean
  readonly triesUnderWay: TriesUnderWay
}

export type PayNeeds = EngineContext & FormNeeds & FormPaymentNeeds
