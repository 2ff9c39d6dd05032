import type { Order } from '#engine/orders/order.ts'
import { type Attempt, brokeCondition } from '#engine/payments/attempt.ts'

// All that a payer is told about a decline: nothing about the card may leak to whoever tries stolen ones.
// unreachable: nothing was charged, and trying again may help. unconfirmed: the bank could not tell who it
// is. interrupted: the payer did not come back from the bank's own page, or not yet.
export type DeclineFamily = 'declined' | 'unreachable' | 'unconfirmed' | 'interrupted'

const unreachableCodes: ReadonlySet<string> = new Set(['91', '92', '96'])
const unconfirmedCodes: ReadonlySet<string> = new Set(['1A', '65A'])

// null: it was not declined, or that is not known yet.
export function declineFamilyOf(attempt: Attempt): DeclineFamily | null {
  const { resultCode } = attempt
  switch (attempt.state) {
    case 'declined':
      if (unreachableCodes.has(resultCode)) return 'unreachable'
      return unconfirmedCodes.has(resultCode) ? 'unconfirmed' : 'declined'
    case 'not_sent':
    case 'refused':
      return 'unreachable'
    case 'reversed':
      return brokeCondition(attempt) ? 'declined' : 'unreachable'
    default:
      // A reversal that is still under way has not given anything back yet.
      return null
  }
}

// The same of an order that was never charged.
export function interruptionOf({ state, because }: Pick<Order, 'state' | 'because'>): DeclineFamily {
  if (state !== 'declined') return 'interrupted'
  switch (because) {
    case 'unreachable':
      return 'unreachable'
    case 'timed_out':
      return 'interrupted'
    default:
      return 'unconfirmed'
  }
}
