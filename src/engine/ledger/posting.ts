import type { Amounts } from '#engine/fees/amounts.ts'
import { type AttemptId, hasApproval, isEarning, type Move } from '#engine/payments/attempt.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

// acquirer: what the acquirer owes. merchant: what the merchant has earned. fees: what payers paid for
// paying by card. disputes: what payers' banks have taken back and nobody has decided yet.
export type LedgerAccount = 'acquirer' | 'merchant' | 'fees' | 'disputes'

// One row of the journal. Its amount goes from the debit to the credit account; its fee goes beside it,
// between the acquirer and the fees, in the acquirer's direction. Readers see two lines.
export type Posting = {
  readonly attemptId: AttemptId
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly debit: LedgerAccount
  readonly credit: LedgerAccount
  readonly amount: Money
  readonly fee: Money
}

// What a move leaves in the books: only approvals count, and a void, credit or return is the
// opposite of a sale.
export function postingFor({ attempt, to }: Move): Posting | null {
  if (!hasApproval(to) || attempt.kind === 'verify') return null
  const { attemptId, accountId, merchantNumber, kind, approved } = attempt
  const [other, amount, fee] = partsOf(approved)
  if (amount.minor <= 0n) return null
  const [debit, credit] = isEarning(kind) ? (['acquirer', other] as const) : ([other, 'acquirer'] as const)
  return { attemptId, accountId, merchantNumber, debit, credit, amount, fee }
}

// No row has an amount of nothing: where the fee is all there is, it is the amount.
function partsOf({ base, fee }: Amounts): readonly [other: LedgerAccount, amount: Money, fee: Money] {
  return base.minor > 0n ? ['merchant', base, fee] : ['fees', fee, { ...fee, minor: 0n }]
}
