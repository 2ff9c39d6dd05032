import type { Attempt } from '#engine/payments/attempt.ts'

// All that a payer is told about a decline: nothing about the card may leak to whoever tries stolen ones.
// unreachable: nothing was charged, and trying again may help. unconfirmed: the bank could not tell who it
// is.
export type DeclineFamily = 'declined' | 'unreachable' | 'unconfirmed'

const unreachableCodes: ReadonlySet<string> = new Set(['91', '92', '96'])
const unconfirmedCodes: ReadonlySet<string> = new Set(['1A', '65A'])

// null: it was not declined, or that is not known yet.
export function declineFamilyOf({ state, resultCode }: Attempt): DeclineFamily | null {
  switch (state) {
    case 'declined':
      if (unreachableCodes.has(resultCode)) return 'unreachable'
      return unconfirmedCodes.has(resultCode) ? 'unconfirmed' : 'declined'
    case 'not_sent':
    case 'refused':
      return 'unreachable'
    case 'reversed':
      return resultCode === '' ? 'unreachable' : 'declined'
    case 'reversal_due':
    case 'reversing':
    case 'manual':
      return resultCode === '' ? null : 'declined'
    default:
      return null
  }
}
