import type { AcquirerAnswer } from '#engine/acquirers/acquirer-answer.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Decision } from '#engine/payments/decision.ts'
import type { Amounts } from '#engine/fees/amounts.ts'
import { assertNever } from '#kernel/assert.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { Currency } from '#kernel/currency.ts'
import type { AccountId, Branded, MerchantNumber } from '#kernel/ids.ts'

// One try to move money. Its id is the interface's transaction id.
export type AttemptId = Branded<bigint, 'AttemptId'>
export const attemptId = (value: bigint): AttemptId => value as AttemptId

export type AttemptKind =
  | 'sale'
  | 'verify'
  | 'void'
  | 'credit'
  // Of a bank account. They wait for a file, so nobody is asked when they are made.
  | 'bank_debit'
  | 'bank_void'
  | 'bank_credit'
  // What the payer's bank has sent back; or a credit that never left.
  | 'bank_return'
  | 'bank_credit_return'

// By these the merchant gets money; by all others but a verification money goes back.
export const earningKinds: readonly AttemptKind[] = ['sale', 'bank_debit', 'bank_credit_return']

export function isEarning(kind: AttemptKind): boolean {
  return earningKinds.includes(kind)
}

export type AttemptState =
  | 'sending'
  | 'approved'
  | 'partial'
  | 'declined'
  | 'not_sent'
  | 'unknown'
  | 'reversal_due'
  | 'reversing'
  | 'reversed'
  | 'manual'
  | 'refused'

// What has become of it in each state. open: it is not known yet, or still has to be undone.
const endings = {
  sending: 'open',
  approved: 'approval',
  partial: 'approval',
  declined: 'nothing',
  not_sent: 'nothing',
  unknown: 'open',
  reversal_due: 'open',
  reversing: 'open',
  reversed: 'nothing',
  manual: 'open',
  refused: 'nothing',
} as const satisfies Record<AttemptState, 'open' | 'approval' | 'nothing'>

function statesThatEndIn(ending: (typeof endings)[AttemptState]): ReadonlySet<string> {
  return new Set(Object.entries(endings).flatMap(([state, its]) => (its === ending ? [state] : [])))
}

const approvedStates = statesThatEndIn('approval')
const statesWithoutEffect = statesThatEndIn('nothing')
const finalStates = approvedStates.union(statesWithoutEffect)

export function isFinal(state: AttemptState): boolean {
  return finalStates.has(state)
}

// In full or in part: the money has moved, the sale is voided, the card verified.
export function hasApproval(state: AttemptState): boolean {
  return approvedStates.has(state)
}

// An approval that broke a condition is told as declined from the first moment, and taken back: it keeps the
// code by which it was told, also where the bank refuses and people have to settle it. One that is taken back
// because nobody heard of it has none.
export function isToldAsDeclined({ state, resultCode }: Pick<Attempt, 'state' | 'resultCode'>): boolean {
  switch (state) {
    case 'declined':
      return true
    case 'reversal_due':
    case 'reversing':
    case 'reversed':
    case 'manual':
      return resultCode !== ''
    case 'sending':
    case 'approved':
    case 'partial':
    case 'not_sent':
    case 'unknown':
    case 'refused':
      return false
    default:
      return assertNever(state)
  }
}

// Nothing was charged, given back or voided, and nothing will be. An approval that is taken back counts once
// its reversal is confirmed, and not before.
export function hasNoEffect(state: AttemptState): boolean {
  return statesWithoutEffect.has(state)
}

// What must hold for an approval to stand; otherwise it is taken back. Stored with the attempt, so that the
// recoverer decides as the request would have.
export type Conditions = {
  readonly acceptsPartial: boolean
  readonly avsNeeded: 'none' | 'zip' | 'full'
  readonly cvvNeeded: boolean
}

// What to do with an approval that the caller never heard of. resolve: it stands, because the caller can
// find it again. reverse: it is undone, because a caller without a key will try anew.
export type TimeoutPolicy = 'resolve' | 'reverse'

// What people search by and receipts show. Never a card number. In the order in which PostgreSQL keeps
// members, by length and then by letter: it sorts what comes in another one.
export type PaymentDetails = {
  readonly guid: string
  readonly user: string
  readonly brand: CardBrand
  readonly expiry: string
  readonly origin: 'API' | 'WID' | 'VT' | 'AUTO'
  readonly userId: string
  // By which of the calls that do the same it was asked for; without it, by the usual one. token: by a
  // consent token; order: by the transaction of an order; choice: scheduled payments that were named; void:
  // by the call that voids, of what else comes from returns.
  readonly askedBy?: 'token' | 'order' | 'choice' | 'void'
  // The order that it belongs to, in an international merchant record.
  readonly orderId?: string
  readonly service: string
  readonly lastFour: string
  readonly clientRef: string
  readonly consentId: string
  // Of what undoes a credit that waits for its file.
  readonly neverSent?: true
  // Why the fee is what it is, for people.
  readonly feeDecision: string
  readonly holderLastName: string
  readonly holderFirstName: string
  readonly customerLastName: string
  readonly customerFirstName: string
}

// The key under which the caller can find this attempt again.
export type CallerKey = { readonly operation: string; readonly key: string; readonly fingerprint: Buffer }

// Which row of which slice changes together with the attempt. The name is stored, because closures do not
// survive a crash.
export type Following<Detail = unknown> = {
  readonly follower: string
  readonly subject: bigint
  readonly detail: Detail
}

export type NewAttempt = {
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly kind: AttemptKind
  readonly parentId: AttemptId | null
  readonly amounts: Amounts
  readonly ref: AcquirerRef
  readonly subjectRef: AcquirerRef
  readonly policy: TimeoutPolicy
  readonly conditions: Conditions
  readonly following: readonly Following[]
  readonly details: PaymentDetails
  readonly callerKey: CallerKey | null
  // Whether somebody is still there to hear the answer. Not asked of whoever can find it again.
  readonly isCallerWaiting?: (() => boolean) | undefined
  readonly createdAt: Temporal.Instant
}

type Asker = Pick<NewAttempt, 'callerKey'> & { readonly isWaiting?: NewAttempt['isCallerWaiting'] }

// How a charge ends if its answer is lost. Whoever sent a key can find the outcome again; whoever did not,
// and has heard nothing, will charge anew.
export function lostAnswerPolicyOf({ callerKey, isWaiting }: Asker) {
  const policy: TimeoutPolicy = callerKey ? 'resolve' : 'reverse'
  return { policy, callerKey, isCallerWaiting: isWaiting }
}

// An attempt as its row tells it.
export type Attempt = {
  // Not in the row: the documented value of a sandbox that has just provoked the answer.
  readonly provokedBy?: string
  readonly attemptId: AttemptId
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly kind: AttemptKind
  readonly parentId: AttemptId | null
  readonly amounts: Amounts
  readonly currency: Currency
  readonly ref: AcquirerRef
  readonly subjectRef: AcquirerRef
  readonly policy: TimeoutPolicy
  readonly conditions: Conditions
  readonly following: readonly Omit<Following, 'detail'>[]
  readonly details: PaymentDetails
  readonly state: AttemptState
  readonly fence: number
  readonly approved: Amounts
  readonly approvalCode: string
  readonly resultCode: string
  readonly avs: string
  readonly cvv: string
  readonly networkId: string
  readonly createdAt: Temporal.Instant
}

export type AttemptKey = { readonly account: AccountId; readonly attempt: AttemptId }

// With what has been given back of it.
export type CreditedAttempt = { readonly attempt: Attempt; readonly credited: Amounts }

// An attempt that has just changed its state, as it is after the move.
export type Move = {
  readonly attempt: Attempt
  readonly from: AttemptState
  readonly to: AttemptState
  readonly answer: AcquirerAnswer | null
  // What the clock of the account shows.
  readonly at: Temporal.Instant
  // Real time.
  readonly recordedAt: Temporal.Instant
  // By an operator, where no bank answers.
  readonly decision?: Decision
}
