import { amountsOf } from '#engine/fees/amounts.ts'
import type { FeeDecision } from '#engine/fees/fee-decision.ts'
import type { FeeQuote } from '#engine/fees/quote-fees.ts'
import { assert } from '#kernel/assert.ts'
import { addMoney, isMoreThan, isSameMoney, type Money, printMoney } from '#kernel/money.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// What the caller wrote beside the base amount; null where nothing was written.
export type AskedFees = { readonly fee: Money | null; readonly total: Money | null }

// Spec "Charge a stored card", rules 2 to 4: a fee only where fees are configured, up to the quoted one as
// asked, a larger one clamped. No fee asked for is no fee.
export function clampFees(
  asked: AskedFees,
  quote: FeeQuote,
): Result<FeeQuote, 'fees_not_configured' | 'total_mismatch'> {
  const { base, decision } = quote
  const fee = asked.fee ?? { minor: 0n, currency: base.currency }
  assert(fee.minor >= 0n, 'a negative fee was refused where it was read')
  if (decision.kind === 'none' && fee.minor > 0n)
    return refuse('fees_not_configured', { fee: printMoney(fee) })
  const sum = addMoney(base, fee)
  if (asked.total && !isSameMoney(asked.total, sum))
    return refuse('total_mismatch', { total: printMoney(asked.total), sum: printMoney(sum) })
  if (isMoreThan(fee, quote.fee)) return ok(clampedTo(quote, fee))
  return ok({ ...amountsOf(base, fee), decision: decisionOn(fee, quote) })
}

function clampedTo({ base, fee, decision }: FeeQuote, asked: Money): FeeQuote {
  const clamped = { asked: printMoney(asked), allowed: printMoney(fee) }
  return { ...amountsOf(base, fee), decision: { ...decision, clamped } }
}

function decisionOn(fee: Money, { fee: quoted, decision }: FeeQuote): FeeDecision {
  if (isSameMoney(fee, quoted)) return decision
  const what = fee.minor === 0n ? 'no fee' : 'a smaller fee'
  return { ...decision, reason: `${what} was asked for, ${printMoney(quoted)} is the most` }
}
