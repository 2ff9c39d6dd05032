import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { countUnanswered } from '#engine/payments/watch-backlog.operation.ts'

// Payments that a killed gateway left behind: in no list yet, and not lost. null where there are none.
export async function tellUnanswered(
  needs: Pick<PaymentNeeds, 'db' | 'clock' | 'patience'>,
): Promise<string | null> {
  const count = await countUnanswered(needs)
  if (count === 0) return null
  const seconds = needs.patience.leaseMs / 1_000
  return (
    `${count} sent and never answered: a running gateway asks the bank about each of them ` +
    `${seconds} seconds after it was begun`
  )
}
