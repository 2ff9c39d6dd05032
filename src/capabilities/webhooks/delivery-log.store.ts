import type { Delivery, DeliveryId, DeliveryState, Method, Try } from '#capabilities/webhooks/delivery.ts'
import type { EndpointId } from '#capabilities/webhooks/endpoint.ts'
import type { AccountId } from '#kernel/ids.ts'
import { arrayOf, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const deliveryColumns = {
  delivery_id: int8,
  endpoint_id: nullable(int8),
  event_id: nullable(int8),
  message_id: text,
  method: text,
  url: text,
  body: text,
  state: text,
  tries: int4,
  next_try_at: timestamptz,
  status: nullable(int4),
  problem: text,
  created_at: timestamptz,
}

const listDeliveriesStatement = statement(
  'list_webhook_deliveries',
  [int8, nullable(text), int4],
  deliveryColumns,
  `select delivery_id, endpoint_id, event_id, message_id, method, url, body, state, tries, next_try_at,
     status, problem, created_at
   from webhook_delivery where account_id = $1 and ($2::text is null or state = $2)
   order by delivery_id desc limit $3::int4`,
)

type Wanted = { readonly state: DeliveryState | null; readonly most: number }

// Newest first.
export async function loadDeliveries(
  db: Queryable,
  account: AccountId,
  { state, most }: Wanted,
): Promise<readonly Delivery[]> {
  return (await db.run(listDeliveriesStatement, [account, state, most])).map(deliveryFromRow)
}

const findDeliveryStatement = statement(
  'find_webhook_delivery',
  [int8, int8],
  deliveryColumns,
  `select delivery_id, endpoint_id, event_id, message_id, method, url, body, state, tries, next_try_at,
     status, problem, created_at
   from webhook_delivery where account_id = $1 and delivery_id = $2`,
)

export async function findDelivery(
  db: Queryable,
  account: AccountId,
  deliveryId: bigint,
): Promise<Delivery | null> {
  const [row] = await db.run(findDeliveryStatement, [account, deliveryId])
  return row ? deliveryFromRow(row) : null
}

function deliveryFromRow(row: RowOf<typeof deliveryColumns>): Delivery {
  return {
    deliveryId: row.delivery_id as DeliveryId,
    endpointId: row.endpoint_id === null ? null : (row.endpoint_id as EndpointId),
    eventId: row.event_id,
    messageId: row.message_id,
    method: row.method as Method,
    url: row.url,
    body: row.body,
    state: row.state as DeliveryState,
    tries: row.tries,
    nextTryAt: row.next_try_at,
    status: row.status,
    problem: row.problem,
    createdAt: row.created_at,
  }
}

const listTriesStatement = statement(
  'list_webhook_tries',
  [int8],
  {
    try_number: int4,
    request_head: text,
    status: nullable(int4),
    answer_head: text,
    problem: text,
    took_ms: int4,
    tried_at: timestamptz,
  },
  `select try_number, request_head, status, answer_head, problem, took_ms, tried_at
   from webhook_try where delivery_id = $1 order by try_id`,
)

export async function loadTries(db: Queryable, deliveryId: DeliveryId): Promise<readonly Try[]> {
  const rows = await db.run(listTriesStatement, [deliveryId])
  return rows.map((row) => ({
    number: row.try_number,
    requestHead: row.request_head,
    status: row.status,
    answerHead: row.answer_head,
    problem: row.problem,
    tookMs: row.took_ms,
    at: row.tried_at,
  }))
}

const countDeliveriesStatement = statement(
  'count_webhook_deliveries',
  [int8],
  { endpoint_id: int8, waiting: int4, dead: int4 },
  `select endpoint_id, count(*) filter (where state = 'waiting')::int4 as waiting,
     count(*) filter (where state = 'dead')::int4 as dead
   from webhook_delivery
   where account_id = $1 and endpoint_id is not null and state <> 'delivered'
   group by endpoint_id`,
)

export type DeliveryCounts = { readonly waiting: number; readonly dead: number }

export async function countDeliveries(
  db: Queryable,
  account: AccountId,
): Promise<ReadonlyMap<EndpointId, DeliveryCounts>> {
  const rows = await db.run(countDeliveriesStatement, [account])
  return new Map(rows.map(({ endpoint_id: id, waiting, dead }) => [id as EndpointId, { waiting, dead }]))
}

const renewDeliveriesStatement = statement(
  'renew_webhook_deliveries',
  [int8, nullable(text), nullable(int8), nullable(arrayOf(int8)), timestamptz],
  { delivery_id: int8 },
  `with open as (
     select endpoint_id, merchant_number from webhook_endpoint where account_id = $1 and state = 'active'
     order by endpoint_id for share
   ), chosen as (
     select d.delivery_id
     from webhook_delivery d left join open e on e.endpoint_id = d.endpoint_id
     where d.account_id = $1 and (d.endpoint_id is null or e.endpoint_id is not null)
       and (e.merchant_number is null or exists (
         select from event v
           left join attempt a
             on v.body is null and a.attempt_id = v.object_id and a.account_id = v.account_id
         where v.account_id = d.account_id and v.event_id = d.event_id
           and coalesce(v.body ->> 'merchant', a.merchant_number::text) = e.merchant_number::text))
       and case when $2::text is not null then d.message_id = $2
                when $3::int8 is not null then d.endpoint_id = $3 and d.event_id = any($4::int8[])
                else d.state = 'dead' end
     order by d.delivery_id
     for update of d)
   update webhook_delivery d set
     state = 'waiting', tries = 0, next_try_at = $5, claimed_until = null, finished_at = null,
     fence = d.fence + 1
   from chosen where d.delivery_id = chosen.delivery_id
   returning d.delivery_id`,
)

// Which deliveries are made anew: those of one message, those of some events at one endpoint, or all that
// never arrived. What belongs to a disabled endpoint stays as it is, and so does what an earlier version had
// for an endpoint of one merchant record and is not of that one.
export type Renewal =
  | { readonly by: 'message'; readonly messageId: string }
  | { readonly by: 'events'; readonly endpointId: EndpointId; readonly eventIds: readonly bigint[] }
  | { readonly by: 'death' }

// The bytes stay as they are. Answers how many there are.
export async function renewDeliveries(
  tx: Tx,
  account: AccountId,
  { renewal, at }: { readonly renewal: Renewal; readonly at: Temporal.Instant },
): Promise<number> {
  const message = renewal.by === 'message' ? renewal.messageId : null
  const [endpoint, events] =
    renewal.by === 'events' ? [renewal.endpointId, renewal.eventIds] : ([null, null] as const)
  const rows = await tx.run(renewDeliveriesStatement, [account, message, endpoint, events, at])
  return rows.length
}
