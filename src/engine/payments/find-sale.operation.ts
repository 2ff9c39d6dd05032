import { readSales, type SaleStanding } from '#engine/payments/payment.store.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Queryable } from '#platform/postgres/database.ts'

// How an approved sale stands now: credited, voided, settled.
export async function findSale(
  { db }: { readonly db: Queryable },
  { account, sale }: { readonly account: AccountId; readonly sale: bigint },
): Promise<SaleStanding | null> {
  const found = (await readSales(db, [sale])).get(sale)
  return found?.account === account ? found : null
}
