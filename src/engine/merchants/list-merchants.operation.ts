import type { EngineContext } from '#engine/context.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { loadMerchants } from '#engine/merchants/merchant.store.ts'
import type { AccountId } from '#kernel/ids.ts'
import { Batcher } from '#platform/postgres/batcher.ts'
import { isUnreachable } from '#platform/postgres/database.ts'

const batchMax = 256

export type MerchantReads = { add(account: AccountId): Promise<readonly Merchant[]> }

export function listMerchants(
  needs: { readonly merchantReads: MerchantReads },
  account: AccountId,
): Promise<readonly Merchant[]> {
  return needs.merchantReads.add(account)
}

// Callers that ask at the same time share one statement.
export function merchantReader({ db }: Pick<EngineContext, 'db'>): MerchantReads {
  return new Batcher({
    sizeMax: batchMax,
    isHopeless: isUnreachable,
    run: (accounts) => loadMerchants(db, accounts),
  })
}
