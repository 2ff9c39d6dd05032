import { startOrder } from '#capabilities/international/start-order.operation.ts'
import { noChecks, type PayerOrder } from '#capabilities/international/payer-order.ts'
import { undoOrder } from '#capabilities/international/undo-order.operation.ts'
import { demoDetails, demoExpiry, seeder } from '#capabilities/sandbox/seed-cards.operation.ts'
import { lockSeeding } from '#capabilities/sandbox/seed-lock.store.ts'
import type { TokenOwner } from '#capabilities/sessions/token-owner.ts'
import type { EngineContext } from '#engine/context.ts'
import { findEarlierAttempt } from '#engine/idempotency/find-earlier-attempt.operation.ts'
import { findOrderOfAttempt } from '#engine/orders/find-order.operation.ts'
import type { Order } from '#engine/orders/order.ts'
import type { Attempt, CallerKey } from '#engine/payments/attempt.ts'
import { assert } from '#kernel/assert.ts'
import { CardNumber } from '#kernel/card-number.ts'
import type { Decimal } from '#kernel/decimal.ts'
import { merchantNumber } from '#kernel/ids.ts'

export type SeededOrders = {
  // Under which the card of the finished order may be charged again.
  readonly token: string
  readonly finished: string
  readonly declined: string
  readonly refunded: string
}

type DemoOrder = {
  readonly name: string
  readonly card: string
  readonly amount: Decimal
  readonly saves: boolean
}

const demoOrders = {
  finished: { name: 'order', card: '4000000000003055', amount: { units: 2550n, scale: 2 }, saves: true },
  declined: {
    name: 'order-declined',
    card: '4000000000000002',
    amount: { units: 45n, scale: 0 },
    saves: false,
  },
  refunded: {
    name: 'order-refunded',
    card: '4000000000003055',
    amount: { units: 9999n, scale: 2 },
    saves: false,
  },
} as const satisfies Record<string, DemoOrder>

const refund = { name: 'order-refund', amount: { units: 40n, scale: 0 } } as const

// Makes orders of the international record once, and finds them at every other start.
export function seedOrders(needs: EngineContext, owner: TokenOwner): Promise<SeededOrders> {
  return needs.db.inTransaction(async (tx) => {
    await lockSeeding(tx)
    const finished = await seedOrder(needs, owner, demoOrders.finished)
    const declined = await seedOrder(needs, owner, demoOrders.declined)
    const refunded = await seedOrder(needs, owner, demoOrders.refunded)
    await seedRefund(needs, owner, refunded)
    return {
      token: finished.consentToken,
      finished: finished.transactionId,
      declined: declined.transactionId,
      refunded: refunded.transactionId,
    }
  })
}

async function seedOrder(needs: EngineContext, owner: TokenOwner, demo: DemoOrder): Promise<Order> {
  const callerKey = keyOf(demo.name)
  const earlier = await findEarlier(needs, owner, callerKey)
  const attempt = earlier ?? (await makeOrder(needs, owner, { demo, callerKey }))
  const order = attempt && (await findOrderOfAttempt(needs, attempt))
  assert(order, `the demo order ${demo.name} is there`)
  return order
}

type Making = { readonly demo: DemoOrder; readonly callerKey: CallerKey }

async function makeOrder(
  needs: EngineContext,
  owner: TokenOwner,
  { demo, callerKey }: Making,
): Promise<Attempt | null> {
  const { accountId, userId } = owner
  await startOrder(needs, { accountId, userId, callerKey }, payerOrderOf(needs, owner, demo))
  return findEarlier(needs, owner, callerKey)
}

async function seedRefund(needs: EngineContext, owner: TokenOwner, order: Order): Promise<void> {
  const callerKey = keyOf(refund.name)
  if (await findEarlier(needs, owner, callerKey)) return
  const undone = await undoOrder(needs, seeder(needs, owner, callerKey), {
    transactionId: order.transactionId,
    amount: { amount: refund.amount, member: 'amount' },
  })
  assert(undone.ok, 'the demo order can be refunded')
}

async function findEarlier(
  needs: EngineContext,
  { accountId: account }: TokenOwner,
  callerKey: CallerKey,
): Promise<Attempt | null> {
  const earlier = await findEarlierAttempt(needs, { account, ...callerKey })
  return earlier.ok ? earlier.value : null
}

function keyOf(key: string): CallerKey {
  return { operation: 'sandbox', key, fingerprint: Buffer.alloc(32) }
}

function payerOrderOf(needs: EngineContext, owner: TokenOwner, demo: DemoOrder): PayerOrder {
  const number = CardNumber.parse(demo.card)
  assert(number, 'a demo order has a card number')
  const { customerRef, service, guid, ...person } = demoDetails(demo.name)
  return {
    merchantNumber: merchantNumber(3),
    amount: { amount: demo.amount, member: 'amount' },
    card: { number, expiry: demoExpiry(needs, owner), securityCode: null },
    payer: {
      firstName: person.holderFirstName,
      lastName: person.holderLastName,
      customerFirstName: person.customerFirstName,
      customerLastName: person.customerLastName,
      email: person.email,
      phone: person.phone,
      street: person.street,
      city: 'Springfield',
      state: 'IL',
      zip: person.zip,
      country: 'US',
    },
    service,
    clientRef: customerRef,
    guid,
    saving: demo.saves ? { agreement: 'You may charge this card again.', agreedFrom: '127.0.0.1' } : null,
    returnTo: '',
    checks: noChecks,
  }
}
