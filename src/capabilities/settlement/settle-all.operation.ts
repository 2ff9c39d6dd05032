import { settle, type SettlementNeeds, type SettleResult } from '#capabilities/settlement/settle.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { MerchantNumber } from '#kernel/ids.ts'

// Settles everything of a merchant record that is unsettled.
export function settleAll(
  needs: SettlementNeeds,
  caller: Caller,
  { merchantNumber }: { readonly merchantNumber: MerchantNumber },
): Promise<SettleResult> {
  return settle(needs, caller, { merchantNumber, ids: null })
}
