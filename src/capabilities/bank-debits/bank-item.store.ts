import type { BankItem, BankItemStatus } from '#capabilities/bank-debits/bank-item.ts'
import { type Attempt, attemptId, type PaymentDetails } from '#engine/payments/attempt.ts'
import type { BankAccountId } from '#engine/vault/vault.ts'
import { assert } from '#kernel/assert.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber } from '#kernel/ids.ts'
import { statusAfterReturn } from '#kernel/nacha/return-reason.ts'
import {
  arrayOf,
  bool,
  int4,
  int8,
  jsonb,
  nullable,
  text,
  timestamptz,
} from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

export const itemColumns = {
  attempt_id: int8,
  account_id: int8,
  merchant_number: int4,
  kind: text,
  parent_id: nullable(int8),
  status: text,
  total_minor: int8,
  credited_minor: int8,
  currency: text,
  bank_account_id: int8,
  corrected_account_id: nullable(int8),
  details: jsonb,
  batch_id: nullable(int8),
  trace: nullable(text),
  return_code: text,
  correction_code: text,
  is_account_erased: bool,
} as const

export const itemSelection = `b.attempt_id, b.account_id, b.merchant_number, b.kind, b.parent_id, b.status,
  b.total_minor, b.credited_minor, b.currency, b.bank_account_id, b.corrected_account_id, b.details,
  b.batch_id, b.trace, b.return_code, b.correction_code,
  b.account_erased_at is not null as is_account_erased`

const insertItemsStatement = statement(
  'insert_bank_items',
  [
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(int4),
    arrayOf(text),
    arrayOf(nullable(int8)),
    arrayOf(int8),
    arrayOf(text),
    arrayOf(int8),
    arrayOf(text),
    arrayOf(text),
    arrayOf(jsonb),
    arrayOf(timestamptz),
    timestamptz,
  ],
  {},
  `insert into bank_item (attempt_id, account_id, merchant_number, kind, parent_id, total_minor, currency,
     bank_account_id, authorization_id, reference, details, created_at, changed_at, status)
   select i.*, $13, 'open'
   from unnest($1::int8[], $2::int8[], $3::int4[], $4::text[], $5::int8[], $6::int8[], $7::text[], $8::int8[],
     $9::text[], $10::text[], $11::jsonb[], $12::timestamptz[]) as i`,
)

const findItemsStatement = statement(
  'find_bank_items',
  [arrayOf(int8)],
  itemColumns,
  `select ${itemSelection} from bank_item b where b.attempt_id = any($1)`,
)

// A debit is voided before it is in any file.
const voidItemsStatement = statement(
  'void_bank_items',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), timestamptz],
  { ref: text },
  `update bank_item b set status = 'void', voided_by = i.ref, changed_at = $4
   from unnest($1::int8[], $2::int8[], $3::text[]) as i (account_id, attempt_id, ref)
   where b.attempt_id = i.attempt_id and b.account_id = i.account_id and b.kind = 'debit'
     and b.status = 'open' and b.batch_id is null and b.credited_minor = 0
   returning i.ref`,
)

// Never more than the debit, and not while it is on its way: what becomes of it is not known then.
const creditItemsStatement = statement(
  'credit_bank_items',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), arrayOf(int8), timestamptz],
  { ref: text },
  `update bank_item b set credited_minor = b.credited_minor + i.credit, changed_at = $5
   from unnest($1::int8[], $2::int8[], $3::text[], $4::int8[]) as i (account_id, attempt_id, ref, credit)
   where b.attempt_id = i.attempt_id and b.account_id = i.account_id and b.kind = 'debit'
     and (b.status = 'settled' or b.status = 'open' and b.batch_id is null)
     and b.credited_minor + i.credit <= b.total_minor and b.account_erased_at is null
   returning i.ref`,
)

const returnItemsStatement = statement(
  'return_bank_items',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), arrayOf(text), arrayOf(text), timestamptz],
  { ref: text, attempt_id: int8 },
  `update bank_item b
   set status = i.status, return_code = i.code, resolved_at = $6, changed_at = $6
   from unnest($1::int8[], $2::int8[], $3::text[], $4::text[], $5::text[])
     as i (account_id, attempt_id, ref, code, status)
   where b.attempt_id = i.attempt_id and b.account_id = i.account_id and b.status = 'settled'
   returning i.ref, b.attempt_id`,
)

// A debit may have several of these credits.
const uncountCreditsStatement = statement(
  'uncount_bank_credits',
  [arrayOf(int8), timestamptz],
  {},
  `update bank_item d set credited_minor = d.credited_minor - c.minor, changed_at = $2
   from (select account_id, parent_id, sum(total_minor)::int8 as minor from bank_item
     where attempt_id = any($1) and kind = 'credit' group by 1, 2 order by 2) as c
   where d.attempt_id = c.parent_id and d.account_id = c.account_id`,
)

// The newest item that went out under each trace number: a series of seven digits begins anew some day.
const findByTraceStatement = statement(
  'find_bank_items_by_trace',
  [arrayOf(text)],
  itemColumns,
  `select distinct on (b.trace) ${itemSelection} from bank_item b where b.trace = any($1)
   order by b.trace, b.attempt_id desc`,
)

// In the order of their ids, as whoever needs several of them takes them.
const lockItemsStatement = statement(
  'lock_bank_items',
  [arrayOf(int8)],
  itemColumns,
  `select ${itemSelection} from bank_item b where b.attempt_id = any($1) order by b.attempt_id for update`,
)

const lockItemStatement = statement(
  'lock_bank_item',
  [int8],
  itemColumns,
  `select ${itemSelection} from bank_item b where b.attempt_id = $1 for update`,
)

type NewItem = { readonly attempt: Attempt; readonly bankAccount: bigint }

export async function insertItems(tx: Tx, items: readonly NewItem[], at: Temporal.Instant): Promise<void> {
  const attempts = items.map(({ attempt }) => attempt)
  await tx.run(insertItemsStatement, [
    attempts.map((one) => one.attemptId),
    attempts.map((one) => one.accountId),
    attempts.map((one) => one.merchantNumber),
    attempts.map(({ kind }) => (kind === 'bank_debit' ? 'debit' : 'credit')),
    attempts.map(({ parentId }) => parentId),
    attempts.map(({ approved }) => approved.total.minor),
    attempts.map(({ currency }) => currency),
    items.map(({ bankAccount }) => bankAccount),
    attempts.map(({ approvalCode }) => approvalCode),
    attempts.map(({ ref }) => ref),
    attempts.map(({ details }) => details),
    attempts.map(({ createdAt }) => createdAt),
    at,
  ])
}

export async function findItem(
  db: Queryable,
  { account, id }: { readonly account: AccountId; readonly id: bigint },
): Promise<BankItem | null> {
  const found = (await findItems(db, [id])).get(id)
  return found?.accountId === account ? found : null
}

export async function findItems(
  db: Queryable,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, BankItem>> {
  const rows = await db.run(findItemsStatement, [ids])
  return new Map(rows.map((row) => [row.attempt_id, itemFromRow(row)]))
}

export async function findItemsByTrace(
  db: Queryable,
  traces: readonly string[],
): Promise<ReadonlyMap<string, BankItem>> {
  const rows = await db.run(findByTraceStatement, [traces])
  return new Map(rows.map((row) => [row.trace ?? '', itemFromRow(row)]))
}

// What an attempt does to the item it is about.
export type Taking = {
  readonly account: AccountId
  readonly item: bigint
  readonly ref: string
  readonly creditMinor: bigint
  readonly returnCode: string
}
type Take = (tx: Tx, takings: readonly Taking[], at: Temporal.Instant) => Promise<readonly string[]>

// Each answers the references that got their item; the item is changed at once.
export const voidItems: Take = async (tx, takings, at) =>
  refsOf(await tx.run(voidItemsStatement, [...keysOf(takings), at]))

export const creditItems: Take = async (tx, takings, at) => {
  const credits = takings.map(({ creditMinor }) => creditMinor)
  return refsOf(await tx.run(creditItemsStatement, [...keysOf(takings), credits, at]))
}

export const returnItems: Take = async (tx, takings, at) => {
  const codes = takings.map(({ returnCode }) => returnCode)
  const changes = [...keysOf(takings), codes, codes.map(statusAfterReturn), at] as const
  const rows = await tx.run(returnItemsStatement, changes)
  await uncountCredits(
    tx,
    rows.map((row) => row.attempt_id),
    at,
  )
  return refsOf(rows)
}

// Credits that never reached the payer, whatever else is among these items: their debits count them no
// longer, so that as much can be credited once more.
export async function uncountCredits(tx: Tx, items: readonly bigint[], at: Temporal.Instant): Promise<void> {
  if (items.length > 0) await tx.run(uncountCreditsStatement, [items, at])
}

export async function lockItems(tx: Tx, ids: readonly bigint[]): Promise<readonly BankItem[]> {
  return (await tx.run(lockItemsStatement, [ids])).map(itemFromRow)
}

// As it stands now, until the end of the transaction.
export async function lockItem(tx: Tx, id: bigint): Promise<BankItem> {
  const [row] = await tx.run(lockItemStatement, [id])
  assert(row, 'a bank item is never removed')
  return itemFromRow(row)
}

function keysOf(takings: readonly Taking[]) {
  return [
    takings.map(({ account }) => account),
    takings.map(({ item }) => item),
    takings.map(({ ref }) => ref),
  ] as const
}

function refsOf(rows: readonly { readonly ref: string }[]): readonly string[] {
  return rows.map(({ ref }) => ref)
}

export function itemFromRow(row: RowOf<typeof itemColumns>): BankItem {
  const currency = row.currency as Currency
  return {
    attemptId: attemptId(row.attempt_id),
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    kind: row.kind as BankItem['kind'],
    parentId: row.parent_id,
    status: row.status as BankItemStatus,
    total: { minor: row.total_minor, currency },
    credited: { minor: row.credited_minor, currency },
    bankAccountId: row.bank_account_id as BankAccountId,
    correctedAccountId: row.corrected_account_id as BankAccountId | null,
    details: row.details as PaymentDetails,
    batchId: row.batch_id,
    trace: row.trace,
    returnCode: row.return_code,
    correctionCode: row.correction_code,
    isAccountErased: row.is_account_erased,
  }
}
