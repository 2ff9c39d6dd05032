import { moneyWords, usualTongue } from '#capabilities/payer-words/tongue.ts'
import type { ReceiptRow } from '#capabilities/receipts/receipt.ts'
import type { InstalmentState } from '#capabilities/recurring/instalment.ts'
import { plannedPayments, type PlanTerms, usualPayment } from '#capabilities/recurring/payment-plan.ts'
import type { Money } from '#kernel/money.ts'

export type PlanFacts = {
  // As agreed at the start.
  readonly terms: PlanTerms
  // The usual payment by now.
  readonly payment: Money
  readonly isStopped: boolean
  // All that were written, in the order of their numbers.
  readonly payments: readonly PlanPayment[]
}

export type PlanPayment = {
  readonly state: InstalmentState
  readonly minor: bigint
  // What the bank approved of it, which may be less.
  readonly approvedMinor: bigint
}

// Nothing of it is charged by itself any more. As Query/ConsentRecurring sees it.
export function isPlanOver({ isStopped, payments }: PlanFacts): boolean {
  return isStopped || !payments.some(({ state }) => state === 'scheduled' || state === 'charging')
}

// What was agreed, and where it stands if that is not how things are any more. The sums of a plan with an end
// always add up: in all, with what was changed, less what was cancelled and what could not be collected, is
// what is collected, being charged and still to come.
export function planRows(plan: PlanFacts, asOf: string): readonly ReceiptRow[] {
  const standing = isAsAgreed(plan) ? [] : [{ label: 'As of', value: asOf }, ...standingRows(plan)]
  return [...agreedRows(plan.terms), ...standing]
}

function agreedRows(terms: PlanTerms): readonly ReceiptRow[] {
  const { period, payments, total } = terms
  const usual = usualPayment(terms)
  const last = payments === null ? usual : (plannedPayments(terms).at(-1)?.amount ?? usual)
  return [
    { label: 'Period', value: period },
    { label: 'Payments', value: payments === null ? 'until cancelled' : String(payments) },
    { label: 'Each payment', value: inWords(usual) },
    { label: 'Last payment', value: last.minor === usual.minor ? '' : inWords(last) },
    { label: 'In all', value: payments === null ? '' : inWords(total) },
  ]
}

function isAsAgreed({ terms, payment, payments }: PlanFacts): boolean {
  const usual = usualPayment(terms).minor
  const agreed = terms.payments === null ? null : plannedPayments(terms).map(({ amount }) => amount.minor)
  const isUntouched = ({ state, minor }: PlanPayment, at: number) =>
    state === 'scheduled' && minor === (agreed ? agreed[at] : usual)
  return payment.minor === usual && payments.every(isUntouched)
}

function standingRows(plan: PlanFacts): readonly ReceiptRow[] {
  const { terms, payment, payments } = plan
  const { currency } = terms.total
  const print = (minor: bigint) => inWords({ minor, currency })
  const unlessNone = (minor: bigint) => (minor === 0n ? '' : signed({ minor, currency }))
  const sum = (state: InstalmentState) => sumOf(payments.filter((one) => one.state === state))
  const collected = payments.reduce((all, one) => all + (one.state === 'paid' ? one.approvedMinor : 0n), 0n)
  const missing = sum('failed') + sum('paid') - collected
  const charging = sum('charging')
  const rest = [
    { label: 'Not collected', value: unlessNone(-missing) },
    { label: 'Collected', value: print(collected) },
    { label: 'Being charged', value: charging === 0n ? '' : print(charging) },
  ]
  if (terms.payments === null) {
    const value = isPlanOver(plan) ? print(0n) : `${inWords(payment)} each, until cancelled`
    return [...rest, { label: 'Still to come', value }]
  }
  return [
    { label: 'Changed since', value: unlessNone(sumOf(payments) - terms.total.minor) },
    { label: 'Cancelled', value: unlessNone(-sum('cancelled')) },
    ...rest,
    { label: 'Still to come', value: print(sum('scheduled')) },
  ]
}

function sumOf(payments: readonly PlanPayment[]): bigint {
  return payments.reduce((all, { minor }) => all + minor, 0n)
}

function inWords(money: Money): string {
  return moneyWords(money, usualTongue)
}

// +$6.67, -$33.34
function signed({ minor, currency }: Money): string {
  return minor < 0n ? `-${inWords({ minor: -minor, currency })}` : `+${inWords({ minor, currency })}`
}
