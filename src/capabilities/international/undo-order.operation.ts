import { creditSale, repeatCredit } from '#capabilities/sales/credit-sale.operation.ts'
import { repeatVoid, voidSale } from '#capabilities/sales/void-sale.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { type AskedAmount, askedMoney } from '#engine/fees/asked-money.ts'
import { internationalRecordsOf } from '#engine/merchants/international-records.operation.ts'
import { findOrder, findOrderOfAttempt } from '#engine/orders/find-order.operation.ts'
import type { Order } from '#engine/orders/order.ts'
import { type Attempt, hasApproval } from '#engine/payments/attempt.ts'
import { findAttemptByReference } from '#engine/payments/find-attempt.operation.ts'
import type { OutcomeRefusal } from '#engine/payments/outcome.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { assert } from '#kernel/assert.ts'
import type { Money } from '#kernel/money.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type UndoWish = { readonly transactionId: string; readonly amount: AskedAmount }

export type UndoneOrder = {
  readonly transactionId: string
  readonly amount: Money
  readonly isApproved: boolean
  // The bank's, where it refused.
  readonly code: string
}

type Needs = PaymentNeeds & Pick<EngineContext, 'merchantReads'>
type UndoRefusal =
  | OutcomeRefusal
  | 'no_international_record'
  | 'transaction_not_found'
  | 'order_not_open'
  | 'credit_over_sale'
  | 'value_out_of_range'
type Undone = Result<UndoneOrder, UndoRefusal, Pick<UndoneOrder, 'transactionId'>>

// Gives a payer back some or all of an order. The whole amount before the bank cut-off is a void, and
// everything else a credit, as often as something is left.
export async function undoOrder(
  needs: Needs,
  caller: Caller,
  { transactionId, amount: asked }: UndoWish,
): Promise<Undone> {
  const records = await internationalRecordsOf(needs, caller)
  if (!records.ok) return records
  const account = caller.accountId
  const order = await findOrder(needs, { account, transactionId })
  const isOpenToCaller =
    order && records.value.international.some((one) => one.merchantNumber === order.merchantNumber)
  if (!isOpenToCaller) return refuse('transaction_not_found', { transaction: transactionId })

  const amount = askedMoney(asked, order.amount.currency)
  if (!amount.ok) return refusedFor(order, amount.refusal)
  const sale = await findSaleOf(needs, order)
  if (!sale) return notOpen(order, 'it is not charged')
  const { attemptId: saleId } = sale
  if (await isWholeAndEarly(needs, { order, sale, amount: amount.value })) {
    const voided = await voidSale(needs, caller, { saleId, askedBy: 'order' })
    // A refusal does not use the key up, so what the bank has just taken is credited under the same one.
    if (!(await isTakenToBank(needs, order, voided))) return undoneByVoid(order, voided)
  }
  return undoneByCredit(order, await creditSale(needs, caller, { saleId, amount: asked, askedBy: 'order' }))
}

async function isTakenToBank(
  needs: Needs,
  { accountId: account, transactionId }: Order,
  voided: Voided,
): Promise<boolean> {
  if (voided.ok || voided.refusal.kind !== 'sale_not_open') return false
  const order = await findOrder(needs, { account, transactionId })
  return order?.state === 'settled' && order.bankAt !== null
}

// The same answer once more, from what is stored.
export async function repeatUndoing(needs: PaymentNeeds, attempt: Attempt): Promise<Undone> {
  const order = await findOrderOfAttempt(needs, attempt)
  assert(order, 'what undoes an order belongs to it')
  return attempt.kind === 'void'
    ? undoneByVoid(order, await repeatVoid(needs, attempt))
    : undoneByCredit(order, await repeatCredit(needs, attempt))
}

async function findSaleOf(needs: Needs, { accountId: account, saleRef }: Order): Promise<Attempt | null> {
  if (saleRef === null) return null
  return findAttemptByReference(needs, { account, ref: saleRef })
}

type Asked = { readonly order: Order; readonly sale: Attempt; readonly amount: Money }

async function isWholeAndEarly(needs: Needs, { order, sale, amount }: Asked): Promise<boolean> {
  if (order.bankAt !== null || amount.minor !== sale.approved.total.minor) return false
  const found = await needs.attemptReads.add({ account: order.accountId, attempt: sale.attemptId })
  return found?.credited.total.minor === 0n
}

type Voided = Awaited<ReturnType<typeof voidSale>>
type Credited = Awaited<ReturnType<typeof creditSale>>

function undoneByVoid(order: Order, voided: Voided): Undone {
  if (!voided.ok) return refusedFor(order, voided.refusal)
  const { isApproved, code } = voided.value
  return ok({ transactionId: order.transactionId, amount: order.amount, isApproved, code })
}

function undoneByCredit(order: Order, credited: Credited): Undone {
  if (!credited.ok) return refusedFor(order, credited.refusal)
  const { state, amounts, approved, resultCode: code } = credited.value
  const isApproved = hasApproval(state)
  const amount = isApproved ? approved.total : amounts.total
  return ok({ transactionId: order.transactionId, amount, isApproved, code })
}

type SaleRefusal = Extract<Voided | Credited, { ok: false }>['refusal']

function refusedFor(order: Order, { kind, details }: Pick<SaleRefusal, 'kind' | 'details'>): Undone {
  const { transactionId: transaction } = order
  if (kind === 'sale_not_open') return notOpen(order, String(details['problem']))
  const told = { transactionId: transaction }
  const echo = nothingRecorded.has(kind) ? { found: told } : { known: told }
  return { ok: false, refusal: { kind, details: { ...details, transaction }, ...echo } }
}

// Another call with the same key may have been first in the very same moment; then its answer counts.
const nothingRecorded: ReadonlySet<SaleRefusal['kind']> = new Set([
  'key_running',
  'credit_over_sale',
  'value_out_of_range',
])

function notOpen({ transactionId }: Order, problem: string): Undone {
  return refuse('order_not_open', { transaction: transactionId, problem }, { transactionId })
}
