import { randomUUID } from 'node:crypto'
import { orderFollower } from '#engine/orders/order.follower.ts'
import { drawOrderId, findFingerprintOf, findOrderOfConsent } from '#engine/orders/order.store.ts'
import { descriptorOf, type NewOrder, type OrderId, type Payer } from '#engine/orders/order.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Attempt, Following, NewAttempt } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import type { Vault } from '#engine/vault/vault.ts'
import type { CardNumber } from '#kernel/card-number.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = { readonly db: Queryable; readonly vault: Pick<Vault, 'cardToken' | 'cardTokenOf'> }

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
  const [orderId, stored] = await Promise.all([drawOrderId(needs.db), findStored(needs, sale, bought)])
  const order = orderOf(sale, bought, { orderId, ...stored })
  return {
    ...sale,
    // An order has one amount, which its bank takes or does not.
    conditions: { ...sale.conditions, acceptsPartial: false },
    following: [...sale.following, following(orderFollower, orderId, { kind: 'new', order })],
    details: { ...sale.details, orderId: String(orderId) },
  }
}

// Whatever undoes a sale of an order follows that order.
export function orderUndoneBy({ following: followed }: Attempt): readonly Following[] {
  return followed
    .filter(({ follower }) => follower === orderFollower.name)
    .map(({ subject }) => following(orderFollower, subject, { kind: 'undone' }))
}

type Stored = {
  readonly orderId: OrderId
  readonly cardToken: string
  readonly consentToken: string
  readonly contact: Partial<Contact>
}

// What is known of a stored card from the order by which it was saved.
async function findStored(
  { db, vault }: Needs,
  { accountId: account, details }: NewAttempt,
  { number }: Bought,
): Promise<Omit<Stored, 'orderId'>> {
  if (number) return { cardToken: vault.cardToken({ account, number }), consentToken: '', contact: {} }
  const consent = BigInt(details.consentId)
  const [origin, fingerprint] = await Promise.all([
    findOrderOfConsent(db, { account, consent }),
    findFingerprintOf(db, { account, consent }),
  ])
  const cardToken = vault.cardTokenOf(fingerprint)
  return { cardToken, consentToken: origin?.consentToken ?? '', contact: origin?.payer ?? {} }
}

const noContact: Contact = { email: '', phone: '', street: '', city: '', state: '', zip: '', country: '' }

function orderOf(sale: NewAttempt, bought: Bought, stored: Stored): NewOrder {
  const { details } = sale
  const { merchant, number, contact, instalmentId } = bought
  return {
    orderId: stored.orderId,
    accountId: sale.accountId,
    merchantNumber: sale.merchantNumber,
    transactionId: randomUUID(),
    action: number ? 'SALE' : 'RECURRING_SALE',
    amount: sale.amounts.total,
    card: {
      lastFour: details.lastFour,
      brand: details.brand,
      expiry: details.expiry,
      token: stored.cardToken,
    },
    consentId: details.consentId === '' ? null : BigInt(details.consentId),
    consentToken: stored.consentToken,
    instalmentId,
    descriptor: descriptorOf(merchant),
    service: details.service,
    clientRef: details.clientRef,
    guid: details.guid,
    origin: details.origin,
    payer: {
      ...noContact,
      ...stored.contact,
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
