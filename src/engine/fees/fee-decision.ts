import type { FeeRule } from '#engine/fees/fee-rule.ts'

// Why a fee is what it is. Plain texts, so that it can be stored with the payment and read years later,
// whatever the tables say by then.
export type FeeDecision = {
  readonly kind: FeeRule['kind']
  // The record's rule: "surcharge 3 %".
  readonly rule: string
  // The lowest cap that applied, whether it made a difference or not: "Visa 3 %".
  readonly cap: string | null
  // What decided: "debit cards carry no surcharge".
  readonly reason: string
  // What the caller asked for and did not get, in units of the currency.
  readonly clamped: { readonly asked: string; readonly allowed: string } | null
}

// What is stored with a payment: nothing where the record adds no fee.
export function feeNote(decision: FeeDecision): string {
  return decision.kind === 'none' ? '' : explain(decision)
}

// One sentence for people: "Surcharge 3 %: debit cards carry no surcharge."
export function explain({ rule, reason, clamped }: FeeDecision): string {
  const decided = `${rule.charAt(0).toUpperCase()}${rule.slice(1)}: ${reason}`
  if (!clamped) return `${decided}.`
  return `${decided}; ${clamped.asked} was asked for, ${clamped.allowed} is the most.`
}
