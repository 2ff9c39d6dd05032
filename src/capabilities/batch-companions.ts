import type { BatchCompanion } from '#capabilities/settlement/batch-companion.ts'

// The one list of what settles together with card transactions.
export const batchCompanions: readonly BatchCompanion[] = []
