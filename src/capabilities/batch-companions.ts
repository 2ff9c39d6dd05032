import type { AchNeeds } from '#capabilities/bank-debits/ach-needs.ts'
import { bankCompanion } from '#capabilities/bank-debits/settle-bank-items.operation.ts'
import type { BatchCompanion } from '#capabilities/settlement/batch-companion.ts'
import type { EngineContext } from '#engine/context.ts'

type Needs = AchNeeds & Pick<EngineContext, 'merchantReads' | 'vault' | 'keyRing' | 'log'>

// The one list of what settles together with card transactions.
export function batchCompanions(needs: Needs): readonly BatchCompanion[] {
  return [bankCompanion(needs)]
}
