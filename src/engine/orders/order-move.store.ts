import type { DeclineCause, OrderState } from '#engine/orders/order.ts'
import { arrayOf, bool, int8, jsonb, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Guarded changes of orders. Each answers the orders that it has changed.

const authenticateStatement = statement(
  'authenticate_order',
  [int8, int8, nullable(text), timestamptz],
  { order_id: int8 },
  `update card_order set state = case when $3::text is null then state else 'challenged' end,
     challenge_id = $3, changed_at = $4
   where account_id = $1 and order_id = $2 and state = 'opened' returning order_id`,
)

const declineStatement = statement(
  'decline_waiting_order',
  [int8, int8, text, timestamptz],
  { order_id: int8 },
  `update card_order set state = 'declined', because = $3, changed_at = $4
   where account_id = $1 and order_id = $2 and state in ('opened', 'challenged') returning order_id`,
)

// The charge of an order that waits for it. One that was given up meanwhile is not charged. The consent that
// begins when it is paid is that of the charge which is made, whoever else wanted to charge it.
const chargeStatement = statement(
  'charge_waiting_orders',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), arrayOf(timestamptz), arrayOf(nullable(int8)), jsonb],
  { sale_ref: nullable(text) },
  `update card_order o set state = 'charging', sale_ref = i.ref, proof = i.proof, consent_id = i.consent_id,
     changed_at = i.at
   from rows from (
     unnest($1::int8[], $2::int8[], $3::text[], $4::timestamptz[], $5::int8[]), jsonb_array_elements($6)
   ) as i (account_id, order_id, ref, at, consent_id, proof)
   where o.order_id = i.order_id and o.account_id = i.account_id and o.state in ('opened', 'challenged')
     and o.answer_until > i.at
   returning o.sale_ref`,
)

// A void comes before the bank cut-off, a credit before or after it.
const takeStatement = statement(
  'take_orders',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), arrayOf(bool)],
  { taken_by: nullable(text) },
  `update card_order o set taken_by = i.ref
   from unnest($1::int8[], $2::int8[], $3::text[], $4::bool[]) as i (account_id, order_id, ref, is_void)
   where o.order_id = i.order_id and o.account_id = i.account_id and o.state = 'settled'
     and o.taken_by is null and (not i.is_void or o.bank_at is null)
   returning o.taken_by`,
)

const readStandingStatement = statement(
  'read_standing_of_orders',
  [arrayOf(int8), arrayOf(int8)],
  { order_id: int8, state: text, is_taken: bool, is_banked: bool },
  `select o.order_id, o.state, o.taken_by is not null as is_taken, o.bank_at is not null as is_banked
   from unnest($1::int8[], $2::int8[]) as i (account_id, order_id)
     join card_order o on o.order_id = i.order_id and o.account_id = i.account_id`,
)

const moveStatement = statement(
  'move_orders',
  [
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(text),
    arrayOf(bool),
    arrayOf(nullable(text)),
    arrayOf(text),
    arrayOf(bool),
    timestamptz,
  ],
  { ref: nullable(text) },
  `update card_order o
   set state = coalesce(i.to_state, o.state), because = i.because, changed_at = $8,
     taken_by = case when i.is_over then null else o.taken_by end
   from unnest($1::int8[], $2::int8[], $3::text[], $4::bool[], $5::text[], $6::text[], $7::bool[])
     as i (account_id, order_id, ref, is_sale, to_state, because, is_over)
   where o.order_id = i.order_id and o.account_id = i.account_id
     and case when i.is_sale then o.state = 'charging' and o.sale_ref = i.ref else o.taken_by = i.ref end
   returning i.ref`,
)

// A charge that a follower refused leaves no order, unless the payer has already been sent to a bank for it.
const dropStatement = statement(
  'drop_refused_orders',
  [arrayOf(int8), arrayOf(int8), arrayOf(text)],
  {},
  `delete from card_order o using unnest($1::int8[], $2::int8[], $3::text[]) as i (account_id, order_id, ref)
   where o.order_id = i.order_id and o.account_id = i.account_id and o.sale_ref = i.ref
     and o.state = 'charging'
     and not exists (
       select 1 from order_record r where r.account_id = o.account_id and r.order_id = o.order_id
     )`,
)

const releaseStatement = statement(
  'release_refused_orders',
  [arrayOf(int8), arrayOf(int8), arrayOf(text)],
  {},
  `update card_order o set sale_ref = null, consent_id = null,
     state = case when o.challenge_id is null then 'opened' else 'challenged' end
   from unnest($1::int8[], $2::int8[], $3::text[]) as i (account_id, order_id, ref)
   where o.order_id = i.order_id and o.account_id = i.account_id and o.sale_ref = i.ref
     and o.state = 'charging'`,
)

const disputeStatement = statement(
  'dispute_order',
  [int8, int8, text, text, timestamptz],
  { order_id: int8 },
  `update card_order o set state = $4, changed_at = $5
   from attempt a
   where a.account_id = $1 and a.attempt_id = $2 and o.account_id = a.account_id
     and o.sale_ref = a.acquirer_ref and o.state = $3
   returning o.order_id`,
)

const listAccountsStatement = statement(
  'list_accounts_with_unanswered_orders',
  [timestamptz],
  { account_id: int8 },
  `select distinct account_id from card_order
   where state in ('opened', 'challenged') and answer_until <= $1`,
)

const nextUnansweredStatement = statement(
  'find_next_unanswered_order',
  [int8, timestamptz, timestamptz],
  { answer_until: nullable(timestamptz) },
  `select min(answer_until) as answer_until from card_order
   where account_id = $1 and state in ('opened', 'challenged') and answer_until > $2 and answer_until <= $3`,
)

type Key = { readonly account: bigint; readonly order: bigint; readonly at: Temporal.Instant }

export async function authenticateOrder(
  tx: Tx,
  { account, order, at, challengeId }: Key & { readonly challengeId: string | null },
): Promise<boolean> {
  return (await tx.run(authenticateStatement, [account, order, challengeId, at])).length > 0
}

export async function declineWaitingOrder(
  tx: Tx,
  { account, order, at, because }: Key & { readonly because: DeclineCause },
): Promise<boolean> {
  return (await tx.run(declineStatement, [account, order, because, at])).length > 0
}

export type Charging = Key & {
  readonly ref: string
  // Of the card that is kept with it; null: it is not.
  readonly consent: bigint | null
  readonly proof: unknown
}

export async function chargeWaitingOrders(
  tx: Tx,
  charges: readonly Charging[],
): Promise<ReadonlySet<string | null>> {
  const rows = await tx.run(chargeStatement, [
    charges.map(({ account }) => account),
    charges.map(({ order }) => order),
    charges.map(({ ref }) => ref),
    charges.map(({ at }) => at),
    charges.map(({ consent }) => consent),
    charges.map(({ proof }) => proof),
  ])
  return new Set(rows.map((row) => row.sale_ref))
}

export type Taking = {
  readonly account: bigint
  readonly order: bigint
  readonly ref: string
  readonly isVoid: boolean
}

export async function takeOrders(tx: Tx, takings: readonly Taking[]): Promise<ReadonlySet<string | null>> {
  const rows = await tx.run(takeStatement, [
    takings.map(({ account }) => account),
    takings.map(({ order }) => order),
    takings.map(({ ref }) => ref),
    takings.map(({ isVoid }) => isVoid),
  ])
  return new Set(rows.map((row) => row.taken_by))
}

export type OrderStanding = {
  readonly state: OrderState
  readonly isTaken: boolean
  readonly isBanked: boolean
}

export async function readStandings(
  db: Queryable,
  orders: readonly { readonly account: bigint; readonly order: bigint }[],
): Promise<ReadonlyMap<bigint, OrderStanding>> {
  const rows = await db.run(readStandingStatement, [
    orders.map(({ account }) => account),
    orders.map(({ order }) => order),
  ])
  return new Map(
    rows.map((row) => [
      row.order_id,
      { state: row.state as OrderState, isTaken: row.is_taken, isBanked: row.is_banked },
    ]),
  )
}

export type OrderMove = {
  readonly account: bigint
  readonly order: bigint
  readonly ref: string
  readonly isSale: boolean
  readonly state: OrderState | null
  readonly because: DeclineCause | ''
  readonly isOver: boolean
}

// Answers the references whose order has moved: what is over already does not move again.
export async function moveOrders(
  tx: Tx,
  moves: readonly OrderMove[],
  at: Temporal.Instant,
): Promise<ReadonlySet<string | null>> {
  const rows = await tx.run(moveStatement, [
    moves.map(({ account }) => account),
    moves.map(({ order }) => order),
    moves.map(({ ref }) => ref),
    moves.map(({ isSale }) => isSale),
    moves.map(({ state }) => state),
    moves.map(({ because }) => because),
    moves.map(({ isOver }) => isOver),
    at,
  ])
  return new Set(rows.map((row) => row.ref))
}

type Refused = { readonly account: bigint; readonly order: bigint; readonly ref: string }

export async function dropRefusedOrders(tx: Tx, refused: readonly Refused[]): Promise<void> {
  const values = [
    refused.map(({ account }) => account),
    refused.map(({ order }) => order),
    refused.map(({ ref }) => ref),
  ] as const
  await tx.run(dropStatement, values)
  await tx.run(releaseStatement, values)
}

type Disputing = {
  readonly account: bigint
  readonly sale: bigint
  readonly from: OrderState
  readonly to: OrderState
  readonly at: Temporal.Instant
}

export async function disputeOrder(
  tx: Tx,
  { account, sale, from, to, at }: Disputing,
): Promise<bigint | null> {
  const [row] = await tx.run(disputeStatement, [account, sale, from, to, at])
  return row?.order_id ?? null
}

export async function listAccountsWithUnanswered(
  db: Queryable,
  at: Temporal.Instant,
): Promise<readonly bigint[]> {
  return (await db.run(listAccountsStatement, [at])).map((row) => row.account_id)
}

export async function findNextUnanswered(
  db: Queryable,
  { account, after, until }: { account: bigint; after: Temporal.Instant; until: Temporal.Instant },
): Promise<Temporal.Instant | null> {
  const [row] = await db.run(nextUnansweredStatement, [account, after, until])
  return row?.answer_until ?? null
}
