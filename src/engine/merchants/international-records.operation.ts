import { listMerchants, type MerchantReads } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantsFor } from '#engine/merchants/merchant.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Whose = { readonly accountId: AccountId; readonly merchantNumber: MerchantNumber | null }

export type InternationalRecords = {
  readonly international: readonly Merchant[]
  // All records that are open to the caller.
  readonly all: readonly Merchant[]
}

// The merchant records set up for international processing that are open to somebody.
export async function internationalRecordsOf(
  needs: { readonly merchantReads: MerchantReads },
  whose: Whose,
): Promise<Result<InternationalRecords, 'no_international_record'>> {
  const all = merchantsFor(whose, await listMerchants(needs, whose.accountId))
  const international = all.filter(({ isInternational }) => isInternational)
  return international.length > 0 ? ok({ international, all }) : refuse('no_international_record')
}
