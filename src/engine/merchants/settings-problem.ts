import type { MerchantSettings } from '#engine/merchants/merchant.ts'

export const feeBasisPointsMax = 1_000
export const consentDaysMax = 3_650
export const lookAlikeSecondsMax = 28_800

export type SettingsProblem =
  | 'fee_kind_not_chosen'
  | 'fee_percent_out_of_range'
  | 'surcharge_without_percent'
  | 'surcharge_with_fixed_amount'
  | 'surcharge_without_region'
  | 'convenience_without_fixed_amount'
  | 'limit_not_positive'
  | 'consent_days_out_of_range'
  | 'look_alike_seconds_out_of_range'

// What makes a record's settings contradict each other, or null. A surcharge needs a region, because the
// region's cap is found by it.
export function problemOf(settings: MerchantSettings): SettingsProblem | null {
  const { limitPerChargeMinor, limitLifetimeMinor, consentDays, lookAlikeSeconds } = settings
  if (limitPerChargeMinor <= 0n || limitLifetimeMinor <= 0n) return 'limit_not_positive'
  if (consentDays < 1 || consentDays > consentDaysMax) return 'consent_days_out_of_range'
  if (lookAlikeSeconds < 0 || lookAlikeSeconds > lookAlikeSecondsMax) return 'look_alike_seconds_out_of_range'
  return feeProblemOf(settings)
}

function feeProblemOf(settings: MerchantSettings): SettingsProblem | null {
  const { feeKind, feeBasisPoints: percent, feeFixedMinor: fixed, region } = settings
  if (percent < 0 || percent > feeBasisPointsMax) return 'fee_percent_out_of_range'
  if (feeKind === 'none') return percent === 0 && fixed === 0n ? null : 'fee_kind_not_chosen'
  if (feeKind === 'convenience') return fixed > 0n ? null : 'convenience_without_fixed_amount'
  if (percent === 0) return 'surcharge_without_percent'
  if (fixed !== 0n) return 'surcharge_with_fixed_amount'
  return region === '' ? 'surcharge_without_region' : null
}
