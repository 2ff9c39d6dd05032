import { listLostBatches, takeBatch } from '#capabilities/settlement/batch.store.ts'
import type { Batch } from '#capabilities/settlement/batch.ts'
import { conduct, type SettlementNeeds } from '#capabilities/settlement/settle.operation.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'

const portion = 20

// Goes on with batches whose holder died and asks for those whose outcome is not known. A rejected one waits
// for the next call or the next close. While sending is held none is touched: those of an older copy of the
// database may have been settled long since. Answers how many it took.
export async function resolveBatches(needs: SettlementNeeds): Promise<number> {
  if (needs.sending.hold) return 0
  const now = needs.clock.now()
  let count = 0
  for (const batch of await listLostBatches(needs.db, now, portion)) {
    if (await resolveApart(needs, batch)) count += 1
  }
  return count
}

// One that cannot be brought to its end is taken up again later, and keeps no other waiting.
async function resolveApart(needs: SettlementNeeds, batch: Batch): Promise<boolean> {
  try {
    return await resolve(needs, batch)
  } catch (error) {
    if (error instanceof Crash || isUnreachable(error)) throw error
    const fields = { err: error, batchId: String(batch.batchId) }
    needs.log.error(fields, 'A batch could not be resolved and will be tried again')
    return false
  }
}

async function resolve(needs: SettlementNeeds, { batchId: id, accountId, merchantNumber }: Batch) {
  const now = needs.clock.now()
  const leaseUntil = now.add({ milliseconds: needs.patience.leaseMs })
  const taken = await takeBatch(needs.db, { id, now, leaseUntil })
  const merchants = await listMerchants(needs, accountId)
  const merchant = merchantNumbered(merchants, merchantNumber)
  if (!taken || !merchant) return false
  await conduct(needs, taken, merchant)
  return true
}
