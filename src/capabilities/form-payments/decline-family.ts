import type { Order } from '#engine/orders/order.ts'
import { type Attempt, isToldAsDeclined } from '#engine/payments/attempt.ts'
import { declineClass } from '#engine/payments/decline-codes.ts'

// All that a payer is told about a decline: nothing about the card may leak to whoever tries stolen ones.
// unreachable: nothing was charged, and trying again may help. unconfirmed: the bank could not tell who it
// is. interrupted: the payer did not come back from the bank's own page, or not yet.
export type DeclineFamily = 'declined' | 'unreachable' | 'unconfirmed' | 'interrupted'

type Told = Pick<Attempt, 'state' | 'resultCode'>

// null: it was not declined, or that is not known yet.
export function declineFamilyOf(attempt: Told): DeclineFamily | null {
  const { resultCode } = attempt
  switch (attempt.state) {
    case 'declined':
      return familyByCode(resultCode)
    case 'not_sent':
    case 'refused':
      return 'unreachable'
    case 'reversed':
      return isToldAsDeclined(attempt) ? 'declined' : 'unreachable'
    default:
      // A reversal that is still under way has not given anything back yet.
      return null
  }
}

function familyByCode(code: string): DeclineFamily {
  const is = declineClass(code)
  return is === 'unreachable' || is === 'unconfirmed' ? is : 'declined'
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
