import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { countUnresolved } from '#engine/payments/unresolved.store.ts'
import type { AccountId } from '#kernel/ids.ts'

// Attempts of an account whose outcome is not known yet.
export function countUnresolvedOf({ db }: Pick<PaymentNeeds, 'db'>, account: AccountId): Promise<number> {
  return countUnresolved(db, account)
}
