import { randomUUID } from 'node:crypto'
import { orderFollower } from '#engine/orders/order.follower.ts'
import { type CardOfOrder, findOrderBeginnings, type OrderBeginning } from '#engine/orders/order.store.ts'
import { descriptorOf, type NewOrder, type Payer } from '#engine/orders/order.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Attempt, Following, NewAttempt } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import type { Vault } from '#engine/vault/vault.ts'
import type { CardNumber } from '#kernel/card-number.ts'
import { shareStatement } from '#platform/postgres/batcher.ts'
import type { Queryable } from '#platform/postgres/database.ts'

export type OrderReads = { add(card: CardOfOrder): Promise<OrderBeginning> }

// Charges that begin at the same time share one statement.
export function orderReader({ db }: { readonly db: Queryable }): OrderReads {
  return shareStatement((cards) => findOrderBeginnings(db, cards))
}

type Needs = { readonly orderReads: OrderReads; readonly vault: Pick<Vault, 'cardToken' | 'cardTokenOf'> }

type Contact = Pick<Payer, 'email' | 'phone' | 'street' | 'city' | 'state' | 'zip' | 'country'>

type Bought = {
  readonly merchant: Merchant
  // The card in hand; null for a stored one, which its consent leads to.
  readonly number: CardNumber | null
  readonly contact: Partial<Contact>
  readonly instalmentId: bigint | null
}

// A charge of an international merchant record is an order, whichever call makes it; one of a domestic
// record stays as it is.
export async function asOrder(needs: Needs, sale: NewAttempt, bought: Bought): Promise<NewAttempt> {
  if (!bought.merchant.isInternational) return sale
  const { accountId: account, details } = sale
  const { number } = bought
  const consent = number ? null : BigInt(details.consentId)
  const beginning = await needs.orderReads.add({ account, consent })
  const { orderId, fingerprint } = beginning
  const { vault } = needs
  const cardToken = number ? vault.cardToken({ account, number }) : vault.cardTokenOf(fingerprint)
  const order = orderOf(sale, bought, { ...beginning, cardToken })
  return {
    ...sale,
    // An order has one amount, which its bank takes or does not.
    conditions: { ...sale.conditions, acceptsPartial: false },
    following: [...sale.following, following(orderFollower, orderId, { kind: 'new', order })],
    details: { ...details, orderId: String(orderId) },
  }
}

// Whatever undoes a sale of an order follows that order.
export function orderUndoneBy({ following: followed }: Attempt): readonly Following[] {
  return followed
    .filter(({ follower }) => follower === orderFollower.name)
    .map(({ subject }) => following(orderFollower, subject, { kind: 'undone' }))
}

const noContact: Contact = { email: '', phone: '', street: '', city: '', state: '', zip: '', country: '' }

type Beginning = OrderBeginning & { readonly cardToken: string }

function orderOf(sale: NewAttempt, bought: Bought, beginning: Beginning): NewOrder {
  const { details } = sale
  const { merchant, number, contact, instalmentId } = bought
  return {
    orderId: beginning.orderId,
    accountId: sale.accountId,
    merchantNumber: sale.merchantNumber,
    transactionId: randomUUID(),
    action: number ? 'SALE' : 'RECURRING_SALE',
    amount: sale.amounts.total,
    card: {
      lastFour: details.lastFour,
      brand: details.brand,
      expiry: details.expiry,
      token: beginning.cardToken,
    },
    consentId: details.consentId === '' ? null : BigInt(details.consentId),
    consentToken: beginning.consentToken,
    instalmentId,
    descriptor: descriptorOf(merchant),
    service: details.service,
    clientRef: details.clientRef,
    guid: details.guid,
    origin: details.origin,
    payer: {
      ...noContact,
      ...beginning.payer,
      ...contact,
      firstName: details.holderFirstName,
      lastName: details.holderLastName,
      customerFirstName: details.customerFirstName,
      customerLastName: details.customerLastName,
    },
    saving: null,
    answerUntil: null,
    createdAt: sale.createdAt,
  }
}
