import {
  type ClaimedDelivery,
  type DeliveryId,
  type DeliveryState,
  type Lane,
  laneOfEndpoint,
  type Method,
  type NewDelivery,
  type Try,
} from '#capabilities/webhooks/delivery.ts'
import type { EndpointId } from '#capabilities/webhooks/endpoint.ts'
import { type AccountId, accountId } from '#kernel/ids.ts'
import { arrayOf, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertLanesStatement = statement(
  'insert_webhook_lanes',
  [arrayOf(text), arrayOf(int8)],
  {},
  `insert into webhook_lane (lane, account_id)
   select distinct l.lane, l.account_id from unnest($1::text[], $2::int8[]) as l (lane, account_id)
   order by l.lane
   on conflict (lane) do nothing`,
)

const insertDeliveriesStatement = statement(
  'insert_webhook_deliveries',
  [
    arrayOf(int8),
    arrayOf(text),
    arrayOf(nullable(int8)),
    arrayOf(nullable(int8)),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(timestamptz),
  ],
  { delivery_id: int8 },
  `with open as (
     select endpoint_id from webhook_endpoint where endpoint_id = any($3) and state = 'active'
     order by endpoint_id for share)
   insert into webhook_delivery
     (account_id, lane, endpoint_id, event_id, message_id, method, url, body, state, next_try_at, created_at)
   select n.account_id, n.lane, n.endpoint_id, n.event_id, n.message_id, n.method, n.url, n.body, 'waiting',
     n.at, n.at
   from unnest($1::int8[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::text[], $7::text[], $8::text[],
     $9::timestamptz[]) as n (account_id, lane, endpoint_id, event_id, message_id, method, url, body, at)
   where n.endpoint_id is null or n.endpoint_id in (select endpoint_id from open)
   on conflict do nothing
   returning delivery_id`,
)

// Answers how many are new: what is there already is left as it is, and nothing is for an endpoint that was
// disabled since it was read. Whoever disables one waits for this, and then finds what has to be ended.
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<number> {
  if (deliveries.length === 0) return 0
  await tx.run(insertLanesStatement, [
    deliveries.map(({ lane }) => lane),
    deliveries.map((one) => one.accountId),
  ])
  const rows = await tx.run(insertDeliveriesStatement, [
    deliveries.map((one) => one.accountId),
    deliveries.map(({ lane }) => lane),
    deliveries.map(({ endpointId }) => endpointId),
    deliveries.map(({ eventId }) => eventId),
    deliveries.map(({ messageId }) => messageId),
    deliveries.map(({ method }) => method),
    deliveries.map(({ url }) => url),
    deliveries.map(({ body }) => body),
    deliveries.map(({ at }) => at),
  ])
  return rows.length
}

// Accounts whose clocks were moved are judged by their own time.
const listDueLanesStatement = statement(
  'list_due_webhook_lanes',
  [timestamptz, timestamptz, arrayOf(int8), arrayOf(timestamptz), nullable(int8)],
  { lane: text, account_id: int8 },
  `select l.lane, l.account_id
   from webhook_lane l
     left join unnest($3::int8[], $4::timestamptz[]) as moved (account_id, now) using (account_id)
   where ($5::int8 is null or l.account_id = $5)
     and (l.paused_until is null or l.paused_until <= coalesce(moved.now, $1))
     and exists (
       select 1 from webhook_delivery d
       where d.lane = l.lane and d.state = 'waiting' and d.next_try_at <= coalesce(moved.now, $1)
         and (d.claimed_until is null or d.claimed_until <= $2))
   order by l.lane`,
)

export type DueLane = { readonly lane: Lane; readonly accountId: AccountId }

type DueBy = {
  // Of this account only; null for all.
  readonly only: AccountId | null
  readonly now: Temporal.Instant
  readonly moved: readonly { readonly accountId: AccountId; readonly now: Temporal.Instant }[]
}

export async function listDueLanes(db: Queryable, { only, now, moved }: DueBy): Promise<readonly DueLane[]> {
  const accounts = moved.map((one) => one.accountId)
  const times = moved.map((one) => one.now)
  const rows = await db.run(listDueLanesStatement, [now, now, accounts, times, only])
  return rows.map((row) => ({ lane: row.lane, accountId: accountId(row.account_id) }))
}

const nextTryOfAccountStatement = statement(
  'find_next_webhook_try_of_account',
  [int8, timestamptz, timestamptz],
  { due_at: nullable(timestamptz) },
  `select min(greatest(d.next_try_at, l.paused_until)) as due_at
   from webhook_lane l join webhook_delivery d on d.lane = l.lane and d.state = 'waiting'
   where l.account_id = $1 and d.next_try_at <= $3
     and greatest(d.next_try_at, l.paused_until) > $2 and greatest(d.next_try_at, l.paused_until) <= $3`,
)

export async function findNextTry(
  db: Queryable,
  span: { readonly accountId: AccountId; readonly after: Temporal.Instant; readonly until: Temporal.Instant },
): Promise<Temporal.Instant | null> {
  const [row] = await db.run(nextTryOfAccountStatement, [span.accountId, span.after, span.until])
  return row?.due_at ?? null
}

const claimDeliveryStatement = statement(
  'claim_webhook_delivery',
  [text, timestamptz, timestamptz, timestamptz],
  {
    delivery_id: int8,
    account_id: int8,
    endpoint_id: nullable(int8),
    event_id: nullable(int8),
    message_id: text,
    method: text,
    url: text,
    body: text,
    tries: int4,
    fence: int4,
  },
  `with due as (
     select d.delivery_id
     from webhook_lane l join webhook_delivery d on d.lane = l.lane
     where l.lane = $1 and (l.paused_until is null or l.paused_until <= $2)
       and d.state = 'waiting' and d.next_try_at <= $2 and (d.claimed_until is null or d.claimed_until <= $3)
     order by d.next_try_at, d.delivery_id
     limit 1
     for update of d skip locked)
   update webhook_delivery d set claimed_until = $4, fence = d.fence + 1
   from due where d.delivery_id = due.delivery_id
   returning d.delivery_id, d.account_id, d.endpoint_id, d.event_id, d.message_id, d.method, d.url, d.body,
     d.tries, d.fence`,
)

type ClaimTimes = {
  // By the clock of the account.
  readonly now: Temporal.Instant
  readonly realNow: Temporal.Instant
  readonly until: Temporal.Instant
}

// The one that has waited longest, unless the lane rests.
export async function claimDelivery(
  db: Queryable,
  lane: Lane,
  { now, realNow, until }: ClaimTimes,
): Promise<ClaimedDelivery | null> {
  const [row] = await db.run(claimDeliveryStatement, [lane, now, realNow, until])
  if (!row) return null
  return {
    deliveryId: row.delivery_id as DeliveryId,
    accountId: accountId(row.account_id),
    endpointId: row.endpoint_id === null ? null : (row.endpoint_id as EndpointId),
    eventId: row.event_id,
    messageId: row.message_id,
    method: row.method as Method,
    url: row.url,
    body: row.body,
    tries: row.tries,
    fence: row.fence,
  }
}

const releaseDeliveryStatement = statement(
  'release_webhook_delivery',
  [int8, int4],
  {},
  `update webhook_delivery set claimed_until = null
   where delivery_id = $1 and fence = $2 and state = 'waiting'`,
)

// Not tried after all; any node may.
export async function releaseDelivery(
  db: Queryable,
  { deliveryId, fence }: Pick<ClaimedDelivery, 'deliveryId' | 'fence'>,
): Promise<void> {
  await db.run(releaseDeliveryStatement, [deliveryId, fence])
}

const reportTryStatement = statement(
  'report_webhook_try',
  [int8, int4, text, timestamptz, nullable(int4), text, timestamptz, text, text, int4],
  { tries: int4 },
  `with moved as (
     update webhook_delivery set
       state = $3, tries = tries + 1, next_try_at = $4, status = $5, problem = $6, claimed_until = null,
       finished_at = case when $3 <> 'waiting' then $7::timestamptz end
     where delivery_id = $1 and fence = $2 and (state = 'waiting' or $3 = 'delivered')
     returning delivery_id, tries)
   , logged as (
     insert into webhook_try
       (delivery_id, try_number, request_head, status, answer_head, problem, took_ms, tried_at)
     select delivery_id, tries, $8, $5, $9, $6, $10, $7 from moved)
   select tries from moved`,
)

export type TryReport = Pick<ClaimedDelivery, 'deliveryId' | 'fence'> &
  Omit<Try, 'number'> & {
    readonly state: DeliveryState
    readonly nextTryAt: Temporal.Instant
  }

// Answers whether the delivery was still ours to report on. What has arrived has arrived, even if its
// endpoint was disabled meanwhile.
export async function reportTry(tx: Tx, report: TryReport): Promise<boolean> {
  const rows = await tx.run(reportTryStatement, [
    report.deliveryId,
    report.fence,
    report.state,
    report.nextTryAt,
    report.status,
    report.problem,
    report.at,
    report.requestHead,
    report.answerHead,
    report.tookMs,
  ])
  return rows.length > 0
}

// In one order by everybody: several tries that fail at once may each give an endpoint up.
const endWaitingStatement = statement(
  'end_waiting_webhook_deliveries',
  [text, text, timestamptz],
  {},
  `with waiting as (
     select delivery_id from webhook_delivery where lane = $1 and state = 'waiting'
     order by delivery_id for update)
   update webhook_delivery d set state = 'dead', problem = $2, finished_at = $3, claimed_until = null
   from waiting w where d.delivery_id = w.delivery_id`,
)

export async function endWaitingDeliveries(
  tx: Tx,
  endpointId: EndpointId,
  { because, at }: { readonly because: string; readonly at: Temporal.Instant },
): Promise<void> {
  await tx.run(endWaitingStatement, [laneOfEndpoint(endpointId), because, at])
}

const deleteOldDeliveriesStatement = statement(
  'delete_old_webhook_deliveries',
  [timestamptz, timestamptz, int4],
  { delivery_id: int8 },
  `with old as (
     select delivery_id from webhook_delivery
     where (state = 'delivered' and finished_at < $1) or (state = 'dead' and finished_at < $2)
     limit $3::int4
     for update skip locked)
   delete from webhook_delivery d using old where d.delivery_id = old.delivery_id
   returning d.delivery_id`,
)

type Ages = { readonly delivered: Temporal.Instant; readonly dead: Temporal.Instant; readonly most: number }

export async function deleteOldDeliveries(db: Queryable, { delivered, dead, most }: Ages): Promise<number> {
  return (await db.run(deleteOldDeliveriesStatement, [delivered, dead, most])).length
}
