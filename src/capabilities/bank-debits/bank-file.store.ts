import type { DueSpan } from '#engine/account-clock/due-work.ts'
import { accountId, type AccountId, type MerchantNumber } from '#kernel/ids.ts'
import { bool, bytea, date, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Files are made one after the other, so that no two of a day get the same mark. The number is our own
// choice.
const lockFilesStatement = statement(
  'lock_bank_files',
  [],
  { is_locked: bool },
  `select true as is_locked from pg_advisory_xact_lock(7411855)`,
)

const listMarksStatement = statement(
  'list_marks_of_day',
  [date, int8],
  { minute: int4, marks: text },
  `select made_minute as minute, string_agg(modifier, '') as marks from bank_file
   where made_on = $1 and batch_id <> $2 group by made_minute`,
)

// A file of a batch that was not accepted is made anew; one that was stays as it is.
const keepFileStatement = statement(
  'keep_bank_file',
  [int8, int8, int4, date, int4, text, text, bytea, nullable(timestamptz), timestamptz],
  {},
  `insert into bank_file as f (batch_id, account_id, merchant_number, made_on, made_minute, modifier, text,
     digest, returns_due_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (batch_id) do update
     set made_on = excluded.made_on, made_minute = excluded.made_minute, modifier = excluded.modifier,
       text = excluded.text, digest = excluded.digest, returns_due_at = excluded.returns_due_at,
       created_at = excluded.created_at
     where f.accepted_at is null`,
)

const acceptFileStatement = statement(
  'accept_bank_file',
  [int8, timestamptz],
  {},
  `update bank_file set accepted_at = $2 where batch_id = $1 and accepted_at is null`,
)

const dropFileStatement = statement(
  'drop_unaccepted_bank_file',
  [int8],
  {},
  `delete from bank_file where batch_id = $1 and accepted_at is null`,
)

const findFileStatement = statement(
  'find_bank_file',
  [int8],
  { account_id: int8, text: text, digest: bytea },
  `select account_id, text, digest from bank_file where batch_id = $1 and accepted_at is not null`,
)

const accountsDueStatement = statement(
  'accounts_with_bank_returns_due',
  [timestamptz],
  { account_id: int8 },
  `select distinct account_id from bank_file
   where accepted_at is not null and returns_done_at is null and returns_due_at <= $1`,
)

const nextDueStatement = statement(
  'next_bank_returns',
  [int8, timestamptz, timestamptz],
  { due_at: nullable(timestamptz) },
  `select min(returns_due_at) as due_at from bank_file
   where account_id = $1 and accepted_at is not null and returns_done_at is null
     and returns_due_at > $2 and returns_due_at <= $3`,
)

const findDueStatement = statement(
  'find_bank_returns_due',
  [int8, timestamptz],
  { batch_id: int8, due_at: timestamptz },
  `select batch_id, returns_due_at as due_at from bank_file
   where account_id = $1 and accepted_at is not null and returns_done_at is null and returns_due_at <= $2
   order by returns_due_at, batch_id`,
)

const finishReturnsStatement = statement(
  'finish_bank_returns',
  [int8, timestamptz],
  {},
  `update bank_file set returns_done_at = $2 where batch_id = $1 and returns_done_at is null`,
)

// The marks of the other files of a day by their minute, while nobody else makes one.
export async function lockMarks(
  tx: Tx,
  { madeOn, batchId }: Pick<NewBankFile, 'madeOn' | 'batchId'>,
): Promise<ReadonlyMap<number, string>> {
  const [, rows] = await Promise.all([
    tx.run(lockFilesStatement, []),
    tx.run(listMarksStatement, [madeOn, batchId]),
  ])
  return new Map(rows.map(({ minute, marks }) => [minute, marks]))
}

export type NewBankFile = {
  readonly batchId: bigint
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly madeOn: Temporal.PlainDate
  // Of the day.
  readonly minute: number
  readonly modifier: string
  readonly hidden: string
  readonly digest: Buffer
  readonly returnsDueAt: Temporal.Instant | null
  readonly at: Temporal.Instant
}

export async function keepFile(tx: Tx, file: NewBankFile): Promise<void> {
  const { batchId, accountId: account, merchantNumber, madeOn, minute, modifier } = file
  const { hidden, digest, returnsDueAt, at } = file
  const key = [batchId, account, merchantNumber, madeOn, minute, modifier] as const
  await tx.run(keepFileStatement, [...key, hidden, digest, returnsDueAt, at])
}

export async function acceptFile(tx: Tx, batchId: bigint, at: Temporal.Instant): Promise<void> {
  await tx.run(acceptFileStatement, [batchId, at])
}

// One that was accepted is never dropped.
export async function dropFile(tx: Tx, batchId: bigint): Promise<void> {
  await tx.run(dropFileStatement, [batchId])
}

export type StoredBankFile = {
  readonly accountId: AccountId
  readonly hidden: string
  readonly digest: Buffer
}

// Of an accepted batch. For the operator and the simulated bank; callers of the interface see no files.
export async function findFile(db: Queryable, batchId: bigint): Promise<StoredBankFile | null> {
  const [row] = await db.run(findFileStatement, [batchId])
  return row ? { accountId: accountId(row.account_id), hidden: row.text, digest: row.digest } : null
}

export async function findAccountsDue(db: Queryable, at: Temporal.Instant): Promise<readonly AccountId[]> {
  return (await db.run(accountsDueStatement, [at])).map((row) => accountId(row.account_id))
}

export async function findNextDue(
  db: Queryable,
  { accountId: account, after, until }: DueSpan,
): Promise<Temporal.Instant | null> {
  const [row] = await db.run(nextDueStatement, [account, after, until])
  return row?.due_at ?? null
}

export type DueReturns = { readonly batchId: bigint; readonly dueAt: Temporal.Instant }

export async function findDue(
  db: Queryable,
  { accountId: account, at }: { readonly accountId: AccountId; readonly at: Temporal.Instant },
): Promise<readonly DueReturns[]> {
  const rows = await db.run(findDueStatement, [account, at])
  return rows.map((row) => ({ batchId: row.batch_id, dueAt: row.due_at }))
}

export async function finishReturns(tx: Tx, batchId: bigint, at: Temporal.Instant): Promise<void> {
  await tx.run(finishReturnsStatement, [batchId, at])
}
