import { type Amounts, amountsOf } from '#engine/fees/amounts.ts'
import { assert } from '#kernel/assert.ts'
import { isMoreThan, type Money, subtractMoney } from '#kernel/money.ts'
import { divideHalfUp } from '#kernel/rounding.ts'

// What a partial approval pays of price and fee.
export function splitApproval(asked: Amounts, approved: Money): Amounts {
  return withFee(approved, shareOf(asked, approved))
}

export type CreditedBefore = {
  readonly paid: Amounts
  // The sums of the credits before this one.
  readonly credited: Amounts
}

// What a credit gives back of price and fee; the credit is the whole sum that the payer gets back. The fee is
// in proportion as long as neither more fee nor more price is given back than was paid, so the last credit
// takes what is left, to the cent.
export function splitCredit({ paid, credited }: CreditedBefore, credit: Money): Amounts {
  const feeLeft = subtractMoney(paid.fee, credited.fee)
  const baseLeft = subtractMoney(paid.base, credited.base)
  const totalLeft = subtractMoney(paid.total, credited.total)
  assert(credit.minor >= 0n && !isMoreThan(credit, totalLeft), 'a credit is at most what is left')
  const share = shareOf(paid, credit)
  const feeLeast = subtractMoney(credit, baseLeft)
  if (isMoreThan(feeLeast, share)) return withFee(credit, feeLeast)
  return withFee(credit, isMoreThan(share, feeLeft) ? feeLeft : share)
}

// part × fee ÷ total, half up, and never more than the fee.
function shareOf({ fee, total }: Amounts, part: Money): Money {
  const { currency } = subtractMoney(total, part)
  if (total.minor === 0n) return { minor: 0n, currency }
  const share = { minor: divideHalfUp(part.minor * fee.minor, total.minor), currency }
  return isMoreThan(share, fee) ? fee : share
}

function withFee(total: Money, fee: Money): Amounts {
  return amountsOf(subtractMoney(total, fee), fee)
}
