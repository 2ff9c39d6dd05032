import type { MerchantSettings } from '#engine/merchants/merchant.ts'
import { exponentOf } from '#kernel/currency.ts'
import { unitsAtScale } from '#kernel/decimal.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// The settings after a change. Three of them do not outlive what they were said about: a confirmation is
// for one region, and percentage and fixed amount belong to one kind of fee. Amounts keep their figure in
// another currency: 2.50 dollars become 2.50 euros.
export function changeSettings<Settings extends MerchantSettings>(
  current: Settings,
  changes: Partial<MerchantSettings>,
): Result<Settings, 'amount_not_in_currency'> {
  const isMoved = changes.region !== undefined && changes.region !== current.region
  const isNewFee = changes.feeKind !== undefined && changes.feeKind !== current.feeKind
  const kept = {
    ...current,
    ...(isMoved ? { isRegionConfirmed: false } : {}),
    ...(isNewFee ? { feeBasisPoints: 0, feeFixedMinor: 0n } : {}),
  }
  const amounts = {
    feeFixedMinor: changes.feeFixedMinor ?? convert(kept.feeFixedMinor, current, changes),
    limitPerChargeMinor: changes.limitPerChargeMinor ?? convert(kept.limitPerChargeMinor, current, changes),
    limitLifetimeMinor: changes.limitLifetimeMinor ?? convert(kept.limitLifetimeMinor, current, changes),
  }
  const { feeFixedMinor, limitPerChargeMinor, limitLifetimeMinor } = amounts
  if (feeFixedMinor === null || limitPerChargeMinor === null || limitLifetimeMinor === null)
    return refuse('amount_not_in_currency')
  return ok({ ...kept, ...changes, feeFixedMinor, limitPerChargeMinor, limitLifetimeMinor })
}

// Null when the other currency has no coin that small.
function convert(minor: bigint, from: MerchantSettings, to: Partial<MerchantSettings>): bigint | null {
  const scale = exponentOf(from.currency)
  return unitsAtScale({ units: minor, scale }, exponentOf(to.currency ?? from.currency))
}
