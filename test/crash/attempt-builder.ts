import { hash } from 'node:crypto'
import type { AcquirerRef, AuthorizeRequest } from '#engine/acquirers/acquirer.ts'
import { type Amounts, amountsOf } from '#engine/fees/amounts.ts'
import { splitCredit } from '#engine/fees/split-fee.ts'
import type {
  Attempt,
  CallerKey,
  Conditions,
  Following,
  NewAttempt,
  PaymentDetails,
} from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { orderUndoneBy } from '#engine/orders/follow-order.operation.ts'
import { parentFollower } from '#engine/payments/parent.follower.ts'
import type { Ask } from '#engine/payments/pay.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { voidAnswer } from '#engine/payments/resolve-attempt.operation.ts'
import { assert } from '#kernel/assert.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { currencyCode } from '#kernel/currency.ts'
import { type AccountId, merchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'
import { Secret } from '#kernel/secret.ts'

export const noConditions: Conditions = { acceptsPartial: true, avsNeeded: 'none', cvvNeeded: false }

export function cents(minor: bigint): Money {
  const currency = currencyCode('USD')
  assert(currency, 'there are dollars')
  return { minor, currency }
}

export function amounts(base: bigint, fee = 0n): Amounts {
  return amountsOf(cents(base), cents(fee))
}

export function acquirerRef(text: string): AcquirerRef {
  assert(isRef(text), 'a reference has letters')
  return text
}

function isRef(text: string): text is AcquirerRef {
  return text !== ''
}

export function callerKey(key: string): CallerKey {
  return { operation: 'test', key, fingerprint: hash('sha256', key, 'buffer') }
}

const details: PaymentDetails = {
  consentId: '',
  lastFour: '1111',
  brand: 'VI',
  expiry: '1240',
  holderFirstName: 'Ada',
  holderLastName: 'Lovelace',
  customerFirstName: '',
  customerLastName: '',
  service: '',
  clientRef: '',
  guid: '',
  user: '',
  userId: '',
  origin: 'API',
  feeDecision: '',
}

export type SaleWish = {
  readonly account: AccountId
  readonly ref: string
  readonly at: Temporal.Instant
  readonly amounts?: Amounts
  readonly kind?: 'sale' | 'verify'
  readonly key?: string | null
  readonly conditions?: Conditions
  readonly following?: readonly Following[]
}

// Without a key the caller cannot find it again, so an approval that it never heard of is undone.
export function newAttempt(wish: SaleWish): NewAttempt {
  const ref = acquirerRef(wish.ref)
  const kind = wish.kind ?? 'sale'
  return {
    accountId: wish.account,
    merchantNumber: merchantNumber(1),
    kind,
    parentId: null,
    amounts: kind === 'verify' ? amounts(0n) : (wish.amounts ?? amounts(1_000n, 30n)),
    ref,
    subjectRef: ref,
    policy: wish.key ? 'resolve' : 'reverse',
    conditions: wish.conditions ?? noConditions,
    following: wish.following ?? [],
    details,
    callerKey: wish.key ? callerKey(wish.key) : null,
    createdAt: wish.at,
  }
}

type VoidWish = Pick<SaleWish, 'ref' | 'at' | 'key' | 'following'>

export function newVoid(sale: Attempt, wish: VoidWish): NewAttempt {
  return {
    ...newAttempt({ ...wish, account: sale.accountId }),
    kind: 'void',
    parentId: sale.attemptId,
    amounts: sale.approved,
    subjectRef: sale.ref,
    following: [...(wish.following ?? []), ...orderUndoneBy(sale)],
  }
}

type CreditWish = Pick<SaleWish, 'ref' | 'at' | 'key'> & {
  readonly total: bigint
  // What the caller has seen of earlier credits.
  readonly credited: Amounts
}

export function newCredit(sale: Attempt, { total, credited, ...wish }: CreditWish): NewAttempt {
  const detail = { creditedMinor: credited.total.minor }
  return {
    ...newAttempt({ ...wish, account: sale.accountId }),
    kind: 'credit',
    parentId: sale.attemptId,
    amounts: splitCredit({ paid: sale.approved, credited }, cents(total)),
    policy: 'resolve',
    following: [...orderUndoneBy(sale), following(parentFollower, sale.attemptId, detail)],
  }
}

export function authorization(
  { ref, amounts: asked }: Attempt,
  number = '4111111111111111',
): AuthorizeRequest {
  const card = CardNumber.parse(number)
  assert(card, 'the number is a card')
  return {
    ref,
    card: {
      number: card,
      expiry: { month: 12, year: 2040 },
      securityCode: new Secret('123'),
      street: '1 Main Street',
      zip: '10001',
    },
    amount: asked.total,
    fee: asked.fee,
    terminal: { terminalId: 'T1', merchantName: 'Corner Books' },
    storedCard: null,
    isRecurring: false,
  }
}

export function askToCharge(needs: PaymentNeeds, number?: string): Ask {
  return (attempt, signal) => needs.acquirer.authorize(authorization(attempt, number), signal)
}

export function askToVoid(needs: PaymentNeeds): Ask {
  return async (attempt, signal) =>
    voidAnswer(attempt, await needs.acquirer.reverse(attempt.subjectRef, signal))
}

export function askToRefund({ acquirer }: PaymentNeeds, { ref: original }: Attempt): Ask {
  return ({ ref, amounts: { total } }, signal) => acquirer.refund({ ref, original, amount: total }, signal)
}
