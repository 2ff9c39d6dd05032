import type { Caller } from '#capabilities/wire/caller.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { amountsOf } from '#engine/fees/amounts.ts'
import type { AttemptId, AttemptKind, Following, NewAttempt } from '#engine/payments/attempt.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

type Order = {
  readonly kind: AttemptKind
  readonly parentId: AttemptId | null
  readonly merchant: MerchantNumber
  readonly amount: Money
  readonly details: NewAttempt['details']
  readonly following: readonly Following[]
  readonly ref: AcquirerRef
  readonly at: Temporal.Instant
}

// An attempt on a bank account. There is no fee and nothing to check, and it is never unknown.
export function bankAttempt(caller: Pick<Caller, 'accountId' | 'callerKey'>, order: Order): NewAttempt {
  const { kind, parentId, merchant, amount, details, following, ref, at } = order
  return {
    accountId: caller.accountId,
    merchantNumber: merchant,
    kind,
    parentId,
    amounts: amountsOf(amount, { minor: 0n, currency: amount.currency }),
    ref,
    subjectRef: ref,
    policy: 'resolve',
    conditions: { acceptsPartial: false, avsNeeded: 'none', cvvNeeded: false },
    following,
    details,
    callerKey: caller.callerKey,
    createdAt: at,
  }
}
