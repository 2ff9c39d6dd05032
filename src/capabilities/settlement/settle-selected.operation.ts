import { settle, type SettlementNeeds, type SettleResult } from '#capabilities/settlement/settle.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { MerchantNumber } from '#kernel/ids.ts'

export type Selection = { readonly merchantNumber: MerchantNumber; readonly ids: readonly bigint[] }

// Settles the named transactions of a merchant record, all of them or none.
export function settleSelected(
  needs: SettlementNeeds,
  caller: Caller,
  { merchantNumber, ids }: Selection,
): Promise<SettleResult> {
  return settle(needs, caller, { merchantNumber, ids })
}
