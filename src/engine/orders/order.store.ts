import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import {
  type DeclineCause,
  type NewOrder,
  type Order,
  type OrderAction,
  orderId,
  type OrderId,
  type OrderState,
  type Payer,
  type CardSaving,
} from '#engine/orders/order.ts'
import { assert } from '#kernel/assert.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber } from '#kernel/ids.ts'
import { arrayOf, int4, int8, jsonb, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const orderColumns = {
  order_id: int8,
  account_id: int8,
  merchant_number: int4,
  transaction_id: text,
  action: text,
  state: text,
  amount_minor: int8,
  currency: text,
  sale_ref: nullable(text),
  last_four: text,
  brand: text,
  expiry: text,
  card_token: text,
  consent_id: nullable(int8),
  consent_token: text,
  instalment_id: nullable(int8),
  descriptor: text,
  service: text,
  client_ref: text,
  guid: text,
  origin: text,
  payer: jsonb,
  saving: nullable(jsonb),
  challenge_id: nullable(text),
  answer_until: nullable(timestamptz),
  because: text,
  bank_at: nullable(timestamptz),
  created_at: timestamptz,
} as const

const selected = `order_id, account_id, merchant_number, transaction_id, action, state, amount_minor,
  currency, sale_ref, last_four, brand, expiry, card_token, consent_id, consent_token, instalment_id,
  descriptor, service, client_ref, guid, origin, payer, saving, challenge_id, answer_until, because, bank_at,
  created_at`

const drawOrderIdStatement = statement(
  'draw_order_id',
  [],
  { order_id: int8 },
  `select nextval('card_order_id_seq') as order_id`,
)

const insertOrdersStatement = statement(
  'insert_orders',
  [jsonb],
  {},
  `insert into card_order (order_id, account_id, merchant_number, transaction_id, action, state, amount_minor,
     currency, sale_ref, last_four, brand, expiry, card_token, consent_id, consent_token, instalment_id,
     descriptor, service, client_ref, guid, origin, payer, saving, answer_until, created_at, changed_at)
   select i.order_id, i.account_id, i.merchant_number, i.transaction_id, i.action, i.state, i.amount_minor,
     i.currency, i.sale_ref, i.last_four, i.brand, i.expiry, i.card_token, i.consent_id, i.consent_token,
     i.instalment_id, i.descriptor, i.service, i.client_ref, i.guid, i.origin, i.payer, i.saving,
     i.answer_until, i.created_at, i.created_at
   from jsonb_populate_recordset(null::card_order, $1) i`,
)

const findByTransactionStatement = statement(
  'find_order_by_transaction',
  [int8, text],
  orderColumns,
  `select ${selected} from card_order where account_id = $1 and transaction_id = $2`,
)

const findByIdStatement = statement(
  'find_order',
  [int8, int8],
  orderColumns,
  `select ${selected} from card_order where account_id = $1 and order_id = $2`,
)

const listUnansweredStatement = statement(
  'list_unanswered_orders',
  [int8, timestamptz, timestamptz, int8, int4],
  orderColumns,
  `select ${selected} from card_order
   where account_id = $1 and state in ('opened', 'challenged') and answer_until <= $2
     and (answer_until, order_id) > ($3, $4)
   order by answer_until, order_id limit $5::int4`,
)

// The order by which the payer agreed is the first that has the token.
const findByTokenStatement = statement(
  'find_order_of_consent_token',
  [int8, text],
  orderColumns,
  `select ${selected} from card_order
   where account_id = $1 and consent_token = $2 and consent_token <> '' order by order_id limit 1`,
)

// The fingerprint of a stored card stands with the card. The rest is known from the order by which it was
// saved: the consent was made with the reference of its charge.
const findOrderBeginningsStatement = statement(
  'find_order_beginnings',
  [arrayOf(int8), arrayOf(nullable(int8))],
  {
    order_id: int8,
    fingerprint: nullable(text),
    consent_token: nullable(text),
    payer: nullable(jsonb),
  },
  `select nextval('card_order_id_seq') as order_id, encode(f.fingerprint, 'hex') as fingerprint,
     o.consent_token, o.payer
   from unnest($1::int8[], $2::int8[]) with ordinality as i (account_id, consent_id, place)
   left join consent c on c.consent_id = i.consent_id and c.account_id = i.account_id
   left join vault_fingerprint f on f.card_id = c.card_id
   left join card_order o on o.sale_ref = c.creation_ref and o.account_id = c.account_id
   order by i.place`,
)

export async function drawOrderId(db: Queryable): Promise<OrderId> {
  const [row] = await db.run(drawOrderIdStatement, [])
  assert(row, 'a sequence always has a next number')
  return orderId(row.order_id)
}

export type Opening = {
  readonly order: NewOrder
  readonly state: OrderState
  readonly saleRef: string | null
}

export async function insertOrders(tx: Tx, openings: readonly Opening[]): Promise<void> {
  await tx.run(insertOrdersStatement, [openings.map(rowOf)])
}

function rowOf({ order, state, saleRef }: Opening) {
  return {
    order_id: String(order.orderId),
    account_id: String(order.accountId),
    merchant_number: order.merchantNumber,
    transaction_id: order.transactionId,
    action: order.action,
    state,
    amount_minor: String(order.amount.minor),
    currency: order.amount.currency,
    sale_ref: saleRef,
    last_four: order.card.lastFour,
    brand: order.card.brand,
    expiry: order.card.expiry,
    card_token: order.card.token,
    consent_id: order.consentId === null ? null : String(order.consentId),
    consent_token: order.consentToken,
    instalment_id: order.instalmentId === null ? null : String(order.instalmentId),
    descriptor: order.descriptor,
    service: order.service,
    client_ref: order.clientRef,
    guid: order.guid,
    origin: order.origin,
    payer: order.payer,
    saving: order.saving,
    answer_until: order.answerUntil?.toString() ?? null,
    created_at: order.createdAt.toString(),
  }
}

export async function findOrderByTransaction(
  db: Queryable,
  { account, transactionId }: { readonly account: AccountId; readonly transactionId: string },
): Promise<Order | null> {
  return orderFrom(await db.run(findByTransactionStatement, [account, transactionId.toLowerCase()]))
}

export async function findOrderById(
  db: Queryable,
  { account, order }: { readonly account: AccountId; readonly order: bigint },
): Promise<Order | null> {
  return orderFrom(await db.run(findByIdStatement, [account, order]))
}

export async function findOrderByToken(
  db: Queryable,
  { account, token }: { readonly account: AccountId; readonly token: string },
): Promise<Order | null> {
  return orderFrom(await db.run(findByTokenStatement, [account, token.toLowerCase()]))
}

export type Unanswered = {
  readonly account: AccountId
  readonly until: Temporal.Instant
  // By age, those behind this one; null: from the oldest.
  readonly after: Order | null
  readonly most: number
}

const longAgo = Temporal.Instant.fromEpochMilliseconds(0)

export async function listUnanswered(
  db: Queryable,
  { account, until, after, most }: Unanswered,
): Promise<readonly Order[]> {
  const behind = [after?.answerUntil ?? longAgo, after?.orderId ?? 0n] as const
  return (await db.run(listUnansweredStatement, [account, until, ...behind, most])).map(orderFromRow)
}

// null: the card is in hand.
export type CardOfOrder = { readonly account: AccountId; readonly consent: bigint | null }

export type OrderBeginning = {
  readonly orderId: OrderId
  // Empty unless the card is a stored one.
  readonly fingerprint: string
  // Both empty unless it was saved by an order.
  readonly consentToken: string
  readonly payer: Partial<Payer>
}

// One read for many orders that begin, in the order of what was asked. It draws their numbers, too.
export async function findOrderBeginnings(
  db: Queryable,
  cards: readonly CardOfOrder[],
): Promise<readonly OrderBeginning[]> {
  const rows = await db.run(findOrderBeginningsStatement, [
    cards.map(({ account }) => account),
    cards.map(({ consent }) => consent),
  ])
  return rows.map(beginningFromRow)
}

function beginningFromRow(row: RowOf<typeof findOrderBeginningsStatement.columns>): OrderBeginning {
  return {
    orderId: orderId(row.order_id),
    fingerprint: row.fingerprint ?? '',
    consentToken: row.consent_token ?? '',
    payer: row.payer ?? {},
  }
}

type OrderRow = RowOf<typeof orderColumns>

function orderFrom([row]: readonly OrderRow[]): Order | null {
  return row ? orderFromRow(row) : null
}

function orderFromRow(row: OrderRow): Order {
  return {
    orderId: orderId(row.order_id),
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    transactionId: row.transaction_id,
    action: row.action as OrderAction,
    state: row.state as OrderState,
    amount: { minor: row.amount_minor, currency: row.currency as Currency },
    saleRef: row.sale_ref as AcquirerRef | null,
    card: {
      lastFour: row.last_four,
      brand: row.brand as CardBrand,
      expiry: row.expiry,
      token: row.card_token,
    },
    consentId: row.consent_id,
    consentToken: row.consent_token,
    instalmentId: row.instalment_id,
    descriptor: row.descriptor,
    service: row.service,
    clientRef: row.client_ref,
    guid: row.guid,
    origin: row.origin,
    payer: row.payer as Payer,
    saving: row.saving as CardSaving | null,
    challengeId: row.challenge_id,
    answerUntil: row.answer_until,
    because: row.because as DeclineCause | '',
    bankAt: row.bank_at,
    createdAt: row.created_at,
  }
}
