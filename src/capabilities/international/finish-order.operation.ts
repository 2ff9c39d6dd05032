import {
  chargeOrder,
  type ChargeNeeds,
  type OrderKnown,
  type OrderPaid,
  paidOrder,
} from '#capabilities/international/charge-order.operation.ts'
import type {
  Accompanied,
  OpenChallenge,
  OrderChecks,
  OrderOwner,
  PaidOrder,
} from '#capabilities/international/payer-order.ts'
import { giveUpOrder, isLate } from '#capabilities/international/give-up-orders.operation.ts'
import { declineUnconfirmed } from '#capabilities/international/start-order.operation.ts'
import type { ChallengeOutcome } from '#engine/acquirers/payer-authentication.ts'
import { findOrder } from '#engine/orders/find-order.operation.ts'
import type { Order } from '#engine/orders/order.ts'
import { findAttemptByReference } from '#engine/payments/find-attempt.operation.ts'
import { outcomeOf } from '#engine/payments/outcome.ts'
import { assert } from '#kernel/assert.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type Return = Accompanied & {
  readonly transactionId: string
  readonly sealedCard: string
  readonly checks: OrderChecks
}

type PaidRefusal = Extract<OrderPaid, { ok: false }>['refusal']['kind']
type Finished = Result<
  PaidOrder | OpenChallenge,
  PaidRefusal | 'transaction_not_found' | 'invalid_card',
  OrderKnown
>

// Goes on with an order whose payer comes back from the bank: asks the bank itself what came of the
// challenge, and charges the card if it knows the payer now. However often it is called, the order is charged
// at most once; afterwards the answer is what came of it.
export async function finishOrder(
  needs: ChargeNeeds,
  owner: OrderOwner,
  { transactionId, sealedCard, checks, also = [], keptFor = null }: Return,
): Promise<Finished> {
  const order = await findOrder(needs, { account: owner.accountId, transactionId })
  if (!order) return refuse('transaction_not_found', { transaction: transactionId })
  if (order.state !== 'challenged' || order.challengeId === null) return outcomeOfOrder(needs, order)

  const at = needs.accountClock.now(owner.accountId)
  if (isLate(order, at)) return givenUp(needs, order, at)
  const outcome = await askOutcome(needs, order.challengeId)
  if (outcome === null || outcome.kind === 'open') return ok({ kind: 'open', transactionId })
  if (outcome.kind !== 'confirmed') {
    await declineUnconfirmed(needs, order, { answer: outcome, at })
    return again(needs, order)
  }
  const card = needs.vault.openInTransit(sealedCard, transactionId)
  if (!card) return refuse('invalid_card', { problem: 'the card did not come back' }, { transactionId })
  const paid = await chargeOrder(needs, owner, { order, card, proof: outcome.proof, checks, also, keptFor })
  if (paid.ok || paid.refusal.kind !== 'order_closed') return paid
  // The time ran out just now, or somebody else came first with the same order: what came of it is the answer
  // to both.
  const now = needs.accountClock.now(owner.accountId)
  return isLate(order, now) ? givenUp(needs, order, now) : again(needs, order)
}

async function givenUp(needs: ChargeNeeds, order: Order, at: Temporal.Instant): Promise<Finished> {
  await giveUpOrder(needs, order, at)
  return again(needs, order)
}

// null: not known now, and asked again later.
async function askOutcome(
  { payerAuthentication, patience, log }: ChargeNeeds,
  challengeId: string,
): Promise<ChallengeOutcome | null> {
  try {
    return await payerAuthentication.outcomeOf(challengeId, AbortSignal.timeout(patience.inquiryMs))
  } catch (error) {
    log.error({ err: error }, "The payer's bank could not be asked about its challenge")
    return null
  }
}

async function again(needs: ChargeNeeds, { accountId: account, transactionId }: Order): Promise<Finished> {
  const order = await findOrder(needs, { account, transactionId })
  assert(order, 'an order is found again')
  return outcomeOfOrder(needs, order)
}

async function outcomeOfOrder(needs: ChargeNeeds, order: Order): Promise<Finished> {
  const { accountId: account, transactionId, saleRef } = order
  const charge = saleRef === null ? null : await findAttemptByReference(needs, { account, ref: saleRef })
  if (!charge) {
    return order.state === 'declined'
      ? ok(paidOrder(order, null))
      : refuse('outcome_unknown', {}, { transactionId })
  }
  const outcome = outcomeOf(charge)
  return outcome.ok
    ? ok(paidOrder(order, outcome.value))
    : refuse(outcome.refusal.kind, outcome.refusal.details, { transactionId })
}
