import type { DisputeLine } from '#engine/acquirers/acquirer.ts'
import type { NewEvent } from '#engine/events/event.ts'
import type { LedgerAccount, Posting } from '#engine/ledger/posting.ts'
import type { AttemptId } from '#engine/payments/attempt.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { type Money, printMoney } from '#kernel/money.ts'

export type DisputeState = 'open' | 'won' | 'lost'

// A payer's bank took a payment back; for the merchant it is open until it is won or lost.
export type Dispute = {
  readonly paymentId: AttemptId
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly reasonCode: string
  readonly amount: Money
  readonly state: DisputeState
  readonly openedAt: Temporal.Instant
  readonly closedAt: Temporal.Instant | null
}

// A sale as far as disputes need to know it.
export type DisputedSale = Pick<Dispute, 'paymentId' | 'accountId' | 'merchantNumber'> & {
  readonly ref: string
  // By the clock of the account.
  readonly createdAt: Temporal.Instant
  // null: no dispute has been recorded.
  readonly state: DisputeState | null
  readonly creditedMinor: bigint
  // Voided, or credited in full: nothing is left to be taken back.
  readonly isGivenBack: boolean
}

// Charged back although it was given back before: both may truly have happened, and an operator has to ask.
export function isGivenBackTwice({ state, isGivenBack }: DisputedSale): boolean {
  return state === null && isGivenBack
}

export type DisputeStep = { readonly dispute: Dispute; readonly at: Temporal.Instant }

// What a dispute does next and when, by the clock of the account: as long after the sale as at the acquirer.
// null: nothing more.
export function nextStep(sale: DisputedSale, line: DisputeLine): DisputeStep | null {
  const moved = (moment: Temporal.Instant) => sale.createdAt.add(moment.since(line.soldAt))
  const { paymentId, accountId, merchantNumber } = sale
  const { reasonCode, amount } = line
  const openedAt = moved(line.openedAt)
  const open: Dispute = {
    paymentId,
    accountId,
    merchantNumber,
    reasonCode,
    amount,
    state: 'open',
    openedAt,
    closedAt: null,
  }
  if (sale.state === null) return { dispute: open, at: openedAt }
  if (sale.state !== 'open' || !line.closed) return null
  const closedAt = moved(line.closed.at)
  return { dispute: { ...open, state: line.closed.isWon ? 'won' : 'lost', closedAt }, at: closedAt }
}

// The acquirer owes less while it is open. Lost, the merchant bears it; won, the acquirer owes it again.
const sides: Readonly<Record<DisputeState, readonly [LedgerAccount, LedgerAccount]>> = {
  open: ['disputes', 'acquirer'],
  won: ['acquirer', 'disputes'],
  lost: ['merchant', 'disputes'],
}

export function postingOf({
  paymentId: attemptId,
  accountId,
  merchantNumber,
  amount,
  state,
}: Dispute): Posting {
  const [debit, credit] = sides[state]
  const fee = { ...amount, minor: 0n }
  return { attemptId, accountId, merchantNumber, debit, credit, amount, fee }
}

export function eventOf({
  accountId,
  paymentId,
  merchantNumber,
  amount,
  reasonCode,
  state,
}: Dispute): NewEvent {
  return {
    accountId,
    type: state === 'open' ? 'dispute.opened' : 'dispute.closed',
    objectId: paymentId,
    body: {
      amount: printMoney(amount),
      currency: amount.currency,
      merchant: String(merchantNumber),
      reason: reasonCode,
      outcome: state,
    },
  }
}
