import { listLostBatches, takeBatch } from '#capabilities/settlement/batch.store.ts'
import { conduct, type SettlementNeeds } from '#capabilities/settlement/settle.operation.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'

const portion = 20

// Goes on with batches whose holder died and asks for those whose outcome is not known. A rejected one waits
// for the next call or the next close. Answers how many it took.
export async function resolveBatches(needs: SettlementNeeds): Promise<number> {
  const now = needs.clock.now()
  let count = 0
  for (const { batchId: id, accountId, merchantNumber } of await listLostBatches(needs.db, now, portion)) {
    const leaseUntil = now.add({ milliseconds: needs.patience.leaseMs })
    const taken = await takeBatch(needs.db, { id, now, leaseUntil })
    const merchants = await listMerchants(needs, accountId)
    const merchant = merchants.find((one) => one.merchantNumber === merchantNumber)
    if (!taken || !merchant) continue
    await conduct(needs, taken, merchant)
    count += 1
  }
  return count
}
