import { type AttemptId, hasApproval, isEarning, type Move } from '#engine/payments/attempt.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { type Money, subtractMoney } from '#kernel/money.ts'

// acquirer: what the acquirer owes. merchant: what the merchant has earned. fees: what payers paid for
// paying by card. disputes: what payers' banks have taken back and nobody has decided yet.
export type LedgerAccount = 'acquirer' | 'merchant' | 'fees' | 'disputes'

export type Posting = {
  readonly attemptId: AttemptId
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly debit: LedgerAccount
  readonly credit: LedgerAccount
  readonly amount: Money
}

// What a move leaves in the books: only approvals count, and a void, credit or return is the
// opposite of a sale.
export function postingsFor({ attempt, to }: Move): readonly Posting[] {
  if (!hasApproval(to) || attempt.kind === 'verify') return []
  const { total, fee } = attempt.approved
  const parts: readonly (readonly [LedgerAccount, Money])[] = [
    ['merchant', subtractMoney(total, fee)],
    ['fees', fee],
  ]
  const { attemptId, accountId, merchantNumber, kind } = attempt
  return parts
    .filter(([, amount]) => amount.minor > 0n)
    .map(([other, amount]) => ({
      attemptId,
      accountId,
      merchantNumber,
      debit: isEarning(kind) ? 'acquirer' : other,
      credit: isEarning(kind) ? other : 'acquirer',
      amount,
    }))
}
