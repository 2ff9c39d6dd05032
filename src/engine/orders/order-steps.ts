import { type Attempt, isToldAsDeclined, type Move } from '#engine/payments/attempt.ts'
import { declineClass, declineText } from '#engine/payments/decline-codes.ts'
import { type DeclineCause, type OrderState, type OrderStep, orderStep } from '#engine/orders/order.ts'

// What a move of an attempt does to its order, pure.
export type OrderChange = {
  // null: it stays as it is.
  readonly state: OrderState | null
  readonly because: DeclineCause | ''
  // Gives the order back to whoever wants to void or credit it next.
  readonly isOver: boolean
  readonly step: OrderStep | null
}

export function changeBy(move: Move, orderId: bigint): OrderChange | null {
  return isCharge(move.attempt) ? changeByCharge(move, orderId) : changeByUndoing(move, orderId)
}

// Of the order itself. One that only keeps a card is charged nothing: no money of it meets a bank cut-off.
export function isCharge({ kind }: Pick<Attempt, 'kind'>): boolean {
  return kind === 'sale' || kind === 'verify'
}

function changeByCharge({ attempt, to }: Move, orderId: bigint): OrderChange | null {
  switch (to) {
    case 'approved':
    case 'partial':
      return changed('settled', {
        ...stepOf(attempt, orderId),
        result: 'SUCCESS',
        status: 'SETTLED',
        amount: attempt.approved.total,
        approvalCode: attempt.approvalCode,
        awaitsBank: attempt.kind === 'sale',
      })
    case 'declined':
      return declined(attempt, orderId)
    case 'reversal_due':
      // An approval that broke a condition is told as declined at once, and reversed in silence.
      return isToldAsDeclined(attempt) ? declined(attempt, orderId) : null
    case 'not_sent':
      return {
        ...changed('declined', failedStep(attempt, orderId)),
        because: 'unreachable',
      }
    case 'reversed':
      return changed('reversed', { ...stepOf(attempt, orderId), result: 'SUCCESS', status: 'REVERSAL' })
    case 'unknown':
      return { ...changed(null, pendingStep(attempt, orderId)), isOver: false }
    default:
      return null
  }
}

function changeByUndoing({ attempt, to }: Move, orderId: bigint): OrderChange | null {
  const isVoid = attempt.kind === 'void'
  switch (to) {
    case 'approved':
    case 'partial':
      return changed(isVoid ? 'void' : null, {
        ...undoingStep(attempt, orderId),
        result: 'SUCCESS',
        status: isVoid ? 'VOID' : 'REFUND',
        amount: attempt.approved.total,
        awaitsBank: !isVoid,
      })
    case 'declined':
      return changed(null, { ...undoingStep(attempt, orderId), ...declineOf(attempt) })
    case 'not_sent':
      return changed(null, { ...failedStep(attempt, orderId), action: 'CREDITVOID' })
    case 'reversed':
      return changed(null, { ...undoingStep(attempt, orderId), result: 'SUCCESS', status: 'REVERSAL' })
    case 'unknown':
      return { ...changed(null, { ...pendingStep(attempt, orderId), action: 'CREDITVOID' }), isOver: false }
    case 'refused':
      return { state: null, because: '', isOver: true, step: null }
    default:
      return null
  }
}

function changed(state: OrderState | null, step: OrderStep): OrderChange {
  return { state, because: '', isOver: true, step }
}

function declined(attempt: Attempt, orderId: bigint): OrderChange {
  const step = { ...stepOf(attempt, orderId), ...declineOf(attempt) }
  return { ...changed('declined', step), because: step.result === 'ERROR' ? 'unreachable' : 'issuer' }
}

// A bank that was not reached has made no decision: that is an error.
function declineOf({ resultCode }: Attempt) {
  const isError = declineClass(resultCode) === 'unreachable'
  const result = isError ? ('ERROR' as const) : ('DECLINED' as const)
  return { result, status: 'DECLINED' as const, declineReason: declineText(resultCode) }
}

function stepOf({ ref, amounts }: Attempt, orderId: bigint): OrderStep {
  const open = { orderId, result: 'ACCEPTED', status: 'PENDING' } as const
  return orderStep({ ...open, attemptRef: ref, amount: amounts.total })
}

function undoingStep(attempt: Attempt, orderId: bigint): OrderStep {
  return { ...stepOf(attempt, orderId), action: 'CREDITVOID' }
}

const pendingStep = stepOf

function failedStep(attempt: Attempt, orderId: bigint): OrderStep {
  const declineReason = 'The acquirer could not be reached; no money was moved'
  return { ...stepOf(attempt, orderId), result: 'ERROR', status: 'DECLINED', declineReason }
}
