import { giveBackBatchItems, lockDebitsOfBatch } from '#capabilities/bank-debits/bank-batch.store.ts'
import { dropFile } from '#capabilities/bank-debits/bank-file.store.ts'
import { hasComeBack } from '#capabilities/bank-debits/bank-item.ts'
import { holdBackCredits } from '#capabilities/bank-debits/hold-back-credits.operation.ts'
import type { GivenBack } from '#capabilities/settlement/batch-companion.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'clock' | 'accountClock' | 'followers'>
type Giving = { readonly batchId: bigint; readonly at: Temporal.Instant }

// Part of the transaction that releases a batch. A return left alone what was on its way then; now that it is
// not, a credit whose debit has come back is held back. The debits are held first: of a release and a return
// that meet the second one sees what the first one has done, and does it.
export async function giveBackItems(needs: Needs, tx: Tx, { batchId, at }: Giving): Promise<GivenBack> {
  const debits = await lockDebitsOfBatch(tx, batchId)
  await dropFile(tx, batchId)
  const count = await giveBackBatchItems(tx, batchId, at)
  const returned = debits.filter(hasComeBack).map((item) => ({ item, code: item.returnCode }))
  const heldBack = await holdBackCredits(needs, tx, returned)
  return { count, voidedCount: heldBack.length }
}
