import type { SaleStanding } from '#engine/payments/payment.store.ts'

type Taking = { readonly creditMinor: bigint }

// Why a sale cannot be voided or credited now, for people.
export function obstacleToUndoingSale({ creditMinor }: Taking, sale: SaleStanding | null): string {
  if (!sale) return 'it is no approved sale'
  if (sale.isVoid) return 'it is voided'
  if (sale.isTaken) return 'it is being voided or credited at this moment'
  if (sale.isDisputed) return "the payer's bank has charged it back"
  if (sale.batchNumber !== null && !sale.isSettled) return `it is locked by batch ${sale.batchNumber}`
  if (creditMinor === 0n && sale.isSettled)
    return `it is settled in batch ${sale.batchNumber}: credit it instead`
  if (creditMinor === 0n && sale.creditedMinor > 0n) return obstacleOfCredits(sale)
  return 'something else happened to it at this moment; look at it and try again'
}

function obstacleOfCredits({
  creditedMinor,
  totalMinor,
}: Pick<SaleStanding, 'creditedMinor' | 'totalMinor'>): string {
  if (creditedMinor === totalMinor) return 'it has been credited in full'
  return 'it has been credited in part: credit the rest of it instead'
}
