import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { accountId, type AccountId } from '#kernel/ids.ts'
import { arrayOf, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import { columnsOf } from '#platform/postgres/columns.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertRequestsStatement = statement(
  'insert_receipt_requests',
  [arrayOf(text), arrayOf(int8), arrayOf(text), arrayOf(timestamptz)],
  {},
  `insert into receipt_request (acquirer_ref, account_id, email, state, created_at)
   select i.ref, i.account_id, i.email, 'waiting', i.created_at
   from unnest($1::text[], $2::int8[], $3::text[], $4::timestamptz[])
     as i (ref, account_id, email, created_at)`,
)

const makeDueStatement = statement(
  'make_receipt_requests_due',
  [arrayOf(text)],
  {},
  `update receipt_request set state = 'due' where acquirer_ref = any($1) and state = 'waiting'`,
)

const removeRequestsStatement = statement(
  'remove_receipt_requests',
  [arrayOf(text)],
  {},
  `delete from receipt_request where acquirer_ref = any($1)`,
)

const listDueStatement = statement(
  'list_due_receipt_requests',
  [int4],
  { acquirer_ref: text },
  `select acquirer_ref from receipt_request where state = 'due' order by created_at, acquirer_ref
   limit $1::int4`,
)

// Of two nodes one gets it: the other finds it done.
const takeDueStatement = statement(
  'take_due_receipt_request',
  [text],
  { account_id: int8, email: text },
  `update receipt_request set state = 'done' where acquirer_ref = $1 and state = 'due'
   returning account_id, email`,
)

const removeOldStatement = statement(
  'remove_old_receipt_requests',
  [timestamptz, int4],
  { acquirer_ref: text },
  `delete from receipt_request where acquirer_ref in (
     select acquirer_ref from receipt_request where created_at <= $1 order by created_at
     limit $2::int4 for update skip locked)
   returning acquirer_ref`,
)

export type ReceiptRequest = {
  readonly ref: AcquirerRef
  readonly account: AccountId
  readonly email: string
  readonly at: Temporal.Instant
}

const columnsOfRequests = columnsOf<ReceiptRequest>()(
  ({ ref }) => ref,
  ({ account }) => account,
  ({ email }) => email,
  ({ at }) => at,
)

export async function insertRequests(tx: Tx, requests: readonly ReceiptRequest[]): Promise<void> {
  await tx.run(insertRequestsStatement, columnsOfRequests(requests))
}

export async function makeDue(tx: Tx, refs: readonly AcquirerRef[]): Promise<void> {
  await tx.run(makeDueStatement, [refs])
}

export async function removeRequests(tx: Tx, refs: readonly AcquirerRef[]): Promise<void> {
  await tx.run(removeRequestsStatement, [refs])
}

// The oldest first.
export async function listDue(db: Queryable, most: number): Promise<readonly AcquirerRef[]> {
  return (await db.run(listDueStatement, [most])).map((row) => row.acquirer_ref as AcquirerRef)
}

export async function takeDue(
  tx: Tx,
  ref: AcquirerRef,
): Promise<Pick<ReceiptRequest, 'account' | 'email'> | null> {
  const [row] = await tx.run(takeDueStatement, [ref])
  return row ? { account: accountId(row.account_id), email: row.email } : null
}

// Answers how many went.
export async function removeOld(
  db: Queryable,
  { before, most }: { readonly before: Temporal.Instant; readonly most: number },
): Promise<number> {
  return (await db.run(removeOldStatement, [before, most])).length
}
