import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { changeBy, isCharge, type OrderChange } from '#engine/orders/order-steps.ts'
import {
  chargeWaitingOrders,
  dropRefusedOrders,
  moveOrders,
  type OrderStanding,
  readStandings,
  takeOrders,
} from '#engine/orders/order-move.store.ts'
import { forgoBank, insertOrderRecords } from '#engine/orders/order-record.store.ts'
import { insertOrders } from '#engine/orders/order.store.ts'
import type { NewOrder } from '#engine/orders/order.ts'
import type { Move, NewAttempt } from '#engine/payments/attempt.ts'
import type { Follower, Moved, Start } from '#engine/payments/follower.ts'
import { refuse, type Refusal } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

export type OrderDetail =
  // Made together with its charge.
  | { readonly kind: 'new'; readonly order: NewOrder }
  // Opened before; the payer's bank has confirmed who pays.
  | { readonly kind: 'waiting'; readonly proof: unknown }
  // Voided or credited.
  | { readonly kind: 'undone' }

type OrderStart = Start<OrderDetail>

// The order of an international merchant record: every outcome of its charge, and of whatever undoes it,
// becomes one more record.
export const orderFollower: Follower<OrderDetail> = {
  name: 'order',
  begin: async (tx, starts) => {
    const made = starts.flatMap(newOrderOf)
    if (made.length > 0) await insertOrders(tx, made)
    const waiting = await refusedWaiting(
      tx,
      starts.filter(({ detail }) => detail.kind === 'waiting'),
    )
    const undone = await refusedUndoing(
      tx,
      starts.filter(({ detail }) => detail.kind === 'undone'),
    )
    return new Map([...waiting, ...undone])
  },
  follow: async (tx, moved) => {
    const at = moved[0]?.move.at
    if (!at) return
    const refused = moved.filter(({ move }) => move.to === 'refused' && isCharge(move.attempt))
    if (refused.length > 0) await dropRefusedOrders(tx, refused.map(keyOf))
    const changes = moved.flatMap(changeOf)
    if (changes.length > 0) await write(tx, changes, at)
  },
}

type Change = { readonly move: Move; readonly order: bigint; readonly change: OrderChange }

function changeOf({ move, subject: order }: Moved): readonly Change[] {
  const change = changeBy(move, order)
  return change ? [{ move, order, change }] : []
}

function keyOf({ move, subject: order }: Moved) {
  return { account: move.attempt.accountId, order, ref: move.attempt.ref }
}

// What does not move, because the order is over, leaves no record either.
async function write(tx: Tx, changes: readonly Change[], at: Temporal.Instant): Promise<void> {
  const moves = changes.map(({ move: { attempt }, order, change }) => ({
    account: attempt.accountId,
    order,
    ref: attempt.ref,
    isSale: isCharge(attempt),
    state: change.state,
    because: change.because,
    isOver: change.isOver,
  }))
  const done = await moveOrders(tx, moves, at)
  const written = changes.filter(({ move }) => done.has(move.attempt.ref))
  const voided = written.filter(({ change }) => change.state === 'void')
  const steps = written.flatMap(({ change: { step } }) => (step ? [step] : []))
  await Promise.all([
    steps.length > 0 ? insertOrderRecords(tx, steps, at) : null,
    voided.length > 0
      ? forgoBank(
          tx,
          voided.map(({ move, order }) => ({ account: move.attempt.accountId, order })),
        )
      : null,
  ])
}

function newOrderOf({ attempt, detail }: OrderStart) {
  return detail.kind === 'new'
    ? [{ order: detail.order, state: 'charging' as const, saleRef: attempt.ref }]
    : []
}

type Refusals = readonly (readonly [AcquirerRef, Refusal<string>])[]

async function refusedWaiting(tx: Tx, starts: readonly OrderStart[]): Promise<Refusals> {
  if (starts.length === 0) return []
  const taken = await chargeWaitingOrders(
    tx,
    starts.map(({ attempt, subject, detail }) => ({
      account: attempt.accountId,
      order: subject,
      ref: attempt.ref,
      at: attempt.createdAt,
      consent: consentOf(attempt),
      proof: detail.kind === 'waiting' ? detail.proof : null,
    })),
  )
  return starts
    .filter(({ attempt }) => !taken.has(attempt.ref))
    .map(({ attempt }) => [attempt.ref, refuse('order_closed').refusal])
}

function consentOf({ details: { consentId } }: NewAttempt): bigint | null {
  return consentId === '' ? null : BigInt(consentId)
}

async function refusedUndoing(tx: Tx, starts: readonly OrderStart[]): Promise<Refusals> {
  if (starts.length === 0) return []
  const taken = await takeOrders(
    tx,
    starts.map(({ attempt, subject }) => ({
      account: attempt.accountId,
      order: subject,
      ref: attempt.ref,
      isVoid: attempt.kind === 'void',
    })),
  )
  const missed = starts.filter(({ attempt }) => !taken.has(attempt.ref))
  if (missed.length === 0) return []
  const standings = await readStandings(
    tx,
    missed.map(({ attempt, subject }) => ({ account: attempt.accountId, order: subject })),
  )
  return missed.map(({ attempt, subject }) => {
    const problem = obstacleToUndoingOrder(standings.get(subject) ?? null)
    return [attempt.ref, refuse('sale_not_open', { problem }).refusal]
  })
}

const obstacles: Partial<Record<OrderStanding['state'], string>> = {
  void: 'it is voided',
  declined: 'it was declined',
  reversed: 'its charge was reversed',
  charged_back: "the payer's bank has charged it back",
}

// Why an order cannot be voided or credited now, for people.
function obstacleToUndoingOrder(order: OrderStanding | null): string {
  if (!order) return 'it is no order'
  const known = obstacles[order.state]
  if (known !== undefined) return known
  if (order.state !== 'settled') return 'it is not settled yet'
  if (order.isTaken) return 'it is being voided or credited at this moment'
  return order.isBanked ? 'the bank has closed its day: credit it instead' : 'try again'
}
