import { countOpenAttempts } from '#engine/payments/backlog.store.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { countUnresolved } from '#engine/payments/unresolved.store.ts'
import type { AccountId } from '#kernel/ids.ts'

// Attempts of an account whose outcome is not known yet.
export function countUnresolvedOf({ db }: Pick<PaymentNeeds, 'db'>, account: AccountId): Promise<number> {
  return countUnresolved(db, account)
}

// The same with those that are being sent just now, and those that an operator must end.
export function countOpenAttemptsOf({ db }: Pick<PaymentNeeds, 'db'>, account: AccountId): Promise<number> {
  return countOpenAttempts(db, account)
}
