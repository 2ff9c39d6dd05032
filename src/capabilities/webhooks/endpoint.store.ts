import type { Endpoint, EndpointId } from '#capabilities/webhooks/endpoint.ts'
import { type EventType, isEventType } from '#engine/events/event-registry.ts'
import { type AccountId, accountId, merchantNumber } from '#kernel/ids.ts'
import { int4, int8, jsonb, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const endpointColumns = {
  endpoint_id: int8,
  account_id: int8,
  merchant_number: nullable(int4),
  url: text,
  event_types: jsonb,
  description: text,
  state: text,
  disabled_because: text,
  created_by: text,
  created_at: timestamptz,
}

const insertEndpointStatement = statement(
  'insert_webhook_endpoint',
  [int8, text, jsonb, text, text, timestamptz, nullable(int4)],
  { endpoint_id: int8 },
  `insert into webhook_endpoint
     (account_id, url, event_types, description, state, created_by, created_at, changed_at, merchant_number)
   values ($1, $2, $3, $4, 'active', $5, $6, $6, $7)
   on conflict (account_id, coalesce(merchant_number, 0), url) where state = 'active' do nothing
   returning endpoint_id`,
)

export type NewEndpoint = Pick<
  Endpoint,
  'accountId' | 'merchantNumber' | 'url' | 'eventTypes' | 'description' | 'createdBy'
>

// null when there is an active endpoint at that address for the same record, or for all of them, already.
export async function insertEndpoint(
  tx: Tx,
  { accountId: account, url, eventTypes, description, createdBy, merchantNumber: only }: NewEndpoint,
  at: Temporal.Instant,
): Promise<EndpointId | null> {
  const values = [account, url, eventTypes, description, createdBy, at, only] as const
  const [row] = await tx.run(insertEndpointStatement, values)
  return row ? (row.endpoint_id as EndpointId) : null
}

const listEndpointsStatement = statement(
  'list_webhook_endpoints',
  [int8],
  endpointColumns,
  `select endpoint_id, account_id, merchant_number, url, event_types, description, state, disabled_because,
     created_by, created_at
   from webhook_endpoint where account_id = $1 order by endpoint_id`,
)

export async function loadEndpoints(db: Queryable, account: AccountId): Promise<readonly Endpoint[]> {
  return (await db.run(listEndpointsStatement, [account])).map(endpointFromRow)
}

const lockAccountStatement = statement(
  'lock_account_of_webhooks',
  [int8],
  {},
  `select from account where account_id = $1 for no key update`,
)

// So that endpoints added at once are counted one after the other.
export async function lockAccountOfWebhooks(tx: Tx, account: AccountId): Promise<void> {
  await tx.run(lockAccountStatement, [account])
}

const disableEndpointStatement = statement(
  'disable_webhook_endpoint',
  [int8, int8, text, timestamptz],
  { url: text, merchant_number: nullable(int4) },
  `update webhook_endpoint set state = 'disabled', disabled_because = $3, changed_at = $4
   where account_id = $1 and endpoint_id = $2 and state = 'active'
   returning url, merchant_number`,
)

export type EndpointKey = { readonly accountId: AccountId; readonly endpointId: EndpointId }

// Answers what it was; null when it was disabled already.
export async function disableEndpoint(
  tx: Tx,
  { accountId: account, endpointId }: EndpointKey,
  { because, at }: { readonly because: string; readonly at: Temporal.Instant },
): Promise<Pick<Endpoint, 'url' | 'merchantNumber'> | null> {
  const [row] = await tx.run(disableEndpointStatement, [account, endpointId, because, at])
  return row ? { url: row.url, merchantNumber: recordFrom(row.merchant_number) } : null
}

const listActiveEndpointsStatement = statement(
  'list_active_webhook_endpoints',
  [],
  endpointColumns,
  `select endpoint_id, account_id, merchant_number, url, event_types, description, state, disabled_because,
     created_by, created_at
   from webhook_endpoint where state = 'active' order by endpoint_id`,
)

export async function loadActiveEndpoints(db: Queryable): Promise<readonly Endpoint[]> {
  return (await db.run(listActiveEndpointsStatement, [])).map(endpointFromRow)
}

function endpointFromRow(row: RowOf<typeof endpointColumns>): Endpoint {
  return {
    endpointId: row.endpoint_id as EndpointId,
    accountId: accountId(row.account_id),
    merchantNumber: recordFrom(row.merchant_number),
    url: row.url,
    eventTypes: eventTypesFrom(row.event_types),
    description: row.description,
    isActive: row.state === 'active',
    disabledBecause: row.disabled_because,
    createdBy: row.created_by,
    createdAt: row.created_at,
  }
}

const recordFrom = (number: number | null) => (number === null ? null : merchantNumber(number))

function eventTypesFrom(stored: unknown): readonly EventType[] {
  return Array.isArray(stored) ? stored.map(String).filter(isEventType) : []
}
