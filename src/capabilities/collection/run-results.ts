import {
  type Processed,
  type ProcessedPayment,
  processedPayment,
} from '#capabilities/collection/processed.ts'
import type { Instalment, InstalmentId } from '#capabilities/recurring/instalment.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { outcomeOf } from '#engine/payments/outcome.ts'

// What a run comes to, while it is being gathered.
export type Results = { readonly [Name in 'approved' | 'declined' | 'unknown']: ProcessedPayment[] } & {
  readonly untouched: InstalmentId[]
}

export function noResults(): Results {
  return { approved: [], declined: [], unknown: [], untouched: [] }
}

export function processedSoFar(results: Results, ending: Processed['ending']): Processed {
  const { approved, declined, unknown, untouched } = results
  return {
    approved: [...approved],
    declined: [...declined],
    unknown: [...unknown],
    untouched: [...untouched],
    ending,
  }
}

type Charged = {
  readonly instalment: Instalment
  readonly attempt: Attempt
  // Asked for what was approved, and for nothing else.
  readonly placeOf: (instalment: Instalment) => number
}

export function addResult(results: Results, { instalment, attempt, placeOf }: Charged): void {
  const outcome = outcomeOf(attempt)
  if (outcome.ok) {
    const done = outcome.value
    const { state } = done
    if (state === 'approved' || state === 'partial') {
      const sequence = placeOf(instalment)
      results.approved.push(processedPayment(instalment, done, { outcome: state, sequence }))
    } else results.declined.push(processedPayment(instalment, done, { outcome: 'declined', sequence: 0 }))
  } else if (outcome.refusal.kind === 'outcome_unknown')
    results.unknown.push(processedPayment(instalment, attempt, { outcome: 'unknown', sequence: 0 }))
  else results.untouched.push(instalment.instalmentId)
}

// Those that were asked for by name and have no result yet.
export function untold(named: readonly InstalmentId[], results: Results): readonly InstalmentId[] {
  const { approved, declined, unknown, untouched } = results
  const sent = [...approved, ...declined, ...unknown].map(({ instalmentId }) => instalmentId)
  const told = new Set([...sent, ...untouched])
  return named.filter((one) => !told.has(one))
}

// Nothing was charged, or may have been, and no issuer has said no.
export function cameToNothing({ approved, declined, unknown }: Omit<Processed, 'ending'>): boolean {
  return approved.length === 0 && declined.length === 0 && unknown.length === 0
}
