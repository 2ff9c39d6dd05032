import {
  itemColumns,
  itemFromRow,
  itemSelection,
  type Taking,
  uncountCredits,
} from '#capabilities/bank-debits/bank-item.store.ts'
import type { BankItem } from '#capabilities/bank-debits/bank-item.ts'
import { arrayOf, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// In the order in which a settlement locks them. Of the two that meet, the second one sees what the first one
// has done.
const lockUnsentStatement = statement(
  'lock_unsent_bank_credits',
  [arrayOf(int8)],
  itemColumns,
  `select ${itemSelection} from bank_item b
   where b.parent_id = any($1) and b.kind = 'credit' and b.status = 'open' and b.batch_id is null
   order by b.attempt_id for update`,
)

// Before their credits, as returns and releases hold them.
const lockDebitsStatement = statement(
  'lock_debits_of_bank_credits',
  [arrayOf(int8)],
  { attempt_id: int8 },
  `select b.attempt_id from bank_item b
   where b.attempt_id in (select c.parent_id from bank_item c where c.attempt_id = any($1))
   order by b.attempt_id for update`,
)

const holdBackStatement = statement(
  'hold_back_bank_credits',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), timestamptz],
  { ref: text, attempt_id: int8 },
  `update bank_item b set status = 'void', voided_by = i.ref, changed_at = $4
   from unnest($1::int8[], $2::int8[], $3::text[]) as i (account_id, attempt_id, ref)
   where b.attempt_id = i.attempt_id and b.account_id = i.account_id and b.kind = 'credit'
     and b.status = 'open' and b.batch_id is null
   returning i.ref, b.attempt_id`,
)

// The credits of these debits that are in no batch yet, until the end of the transaction.
export async function lockUnsentCredits(tx: Tx, debits: readonly bigint[]): Promise<readonly BankItem[]> {
  return (await tx.run(lockUnsentStatement, [debits])).map(itemFromRow)
}

// Answers the references that got their credit.
export async function holdBackItems(
  tx: Tx,
  takings: readonly Taking[],
  at: Temporal.Instant,
): Promise<readonly string[]> {
  const items = takings.map(({ item }) => item)
  await tx.run(lockDebitsStatement, [items])
  const rows = await tx.run(holdBackStatement, [
    takings.map(({ account }) => account),
    items,
    takings.map(({ ref }) => ref),
    at,
  ])
  await uncountCredits(
    tx,
    rows.map((row) => row.attempt_id),
    at,
  )
  return rows.map(({ ref }) => ref)
}
