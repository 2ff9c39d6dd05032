import type { EndpointId, SecretOwner } from '#capabilities/webhooks/endpoint.ts'
import { accountId } from '#kernel/ids.ts'
import { bytea, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertSecretStatement = statement(
  'insert_webhook_secret',
  [int8, nullable(int8), bytea, timestamptz],
  {},
  `insert into webhook_secret (account_id, endpoint_id, sealed, made_at) values ($1, $2, $3, $4)
   on conflict (account_id, coalesce(endpoint_id, 0)) where valid_until is null do nothing`,
)

// Leaves a current secret as it is.
export async function insertSecret(
  db: Queryable,
  { accountId: account, endpointId }: SecretOwner,
  { sealed, at }: { readonly sealed: Buffer; readonly at: Temporal.Instant },
): Promise<void> {
  await db.run(insertSecretStatement, [account, endpointId, sealed, at])
}

const retireSecretsStatement = statement(
  'retire_webhook_secrets',
  [int8, nullable(int8), timestamptz, timestamptz],
  {},
  `update webhook_secret set valid_until = case when valid_until is null then $4 else $3 end
   where account_id = $1 and endpoint_id is not distinct from $2
     and (valid_until is null or valid_until > $3)`,
)

// The current one stays valid until then; one that was on its way out already ends now, so that there are
// never more than two.
export async function retireSecrets(
  tx: Tx,
  { accountId: account, endpointId }: SecretOwner,
  { at, until }: { readonly at: Temporal.Instant; readonly until: Temporal.Instant },
): Promise<void> {
  await tx.run(retireSecretsStatement, [account, endpointId, at, until])
}

const listValidSecretsStatement = statement(
  'list_valid_webhook_secrets',
  [int8, nullable(int8), timestamptz],
  { sealed: bytea },
  `select sealed from webhook_secret
   where account_id = $1 and endpoint_id is not distinct from $2 and (valid_until is null or valid_until > $3)
   order by secret_id desc`,
)

// Newest first.
export async function loadValidSecrets(
  db: Queryable,
  { accountId: account, endpointId }: SecretOwner,
  at: Temporal.Instant,
): Promise<readonly Buffer[]> {
  return (await db.run(listValidSecretsStatement, [account, endpointId, at])).map(({ sealed }) => sealed)
}

const listSecretsAtStatement = statement(
  'list_webhook_secrets_at',
  [text, timestamptz],
  { account_id: int8, endpoint_id: nullable(int8), sealed: bytea },
  `select s.account_id, s.endpoint_id, s.sealed
   from webhook_secret s left join webhook_endpoint e using (endpoint_id)
   where (s.valid_until is null or s.valid_until > $2)
     and (s.endpoint_id is null or (e.state = 'active' and strpos(e.url, $1) > 0))
   order by s.secret_id desc
   limit 200`,
)

export type OwnedSecret = SecretOwner & { readonly sealed: Buffer }

// All that could have signed what arrives at an address with this part.
export async function loadSecretsAt(
  db: Queryable,
  addressPart: string,
  at: Temporal.Instant,
): Promise<readonly OwnedSecret[]> {
  const rows = await db.run(listSecretsAtStatement, [addressPart, at])
  return rows.map((row) => ({
    accountId: accountId(row.account_id),
    endpointId: row.endpoint_id === null ? null : (row.endpoint_id as EndpointId),
    sealed: row.sealed,
  }))
}
