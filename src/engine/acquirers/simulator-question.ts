import type { AuthorizeRequest, BatchRequest, RefundRequest } from '#engine/acquirers/acquirer.ts'
import { addMoney, type Money, subtractMoney } from '#kernel/money.ts'
import type { BankAuthorization, BankBatch, BankRefund } from '../../../simulator/bank-request.ts'

// From what the port asks to what the simulated bank understands.

export function toBankAuthorization(request: AuthorizeRequest): BankAuthorization {
  const { ref, card, amount, fee, terminal, isRecurring } = request
  return { verb: 'authorize', ref, card, amount, fee, terminalId: terminal.terminalId, isRecurring }
}

export function toBankRefund({ ref, original, amount }: RefundRequest): BankRefund {
  return { verb: 'refund', ref, original, amount }
}

export function toBankBatch({ ref, number, terminal, items }: BatchRequest): BankBatch {
  return { verb: 'settle', ref, number, terminalId: terminal.terminalId, items }
}

// Sales minus credits; null for a batch of nothing.
export function netOf({ items }: BatchRequest): Money | null {
  const [first] = items
  if (!first) return null
  const nothing = { minor: 0n, currency: first.amount.currency }
  return items.reduce(
    (sum, { amount, isCredit }) => (isCredit ? subtractMoney(sum, amount) : addMoney(sum, amount)),
    nothing,
  )
}
