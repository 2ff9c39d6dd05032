import type { BankAccountId, BankAccountRef } from '#engine/vault/vault.ts'
import { accountId } from '#kernel/ids.ts'
import { int4, int8, timestamptz } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// A debit and its credits share an account, so they are judged together. Whoever credits the debit at this
// moment holds its row, and it is passed over.
const markErasedStatement = statement(
  'mark_bank_accounts_erased',
  [timestamptz, timestamptz, int4],
  { account_id: int8, bank_account_id: int8 },
  `with aged as materialized (
     select b.attempt_id from bank_item b
     where b.kind = 'debit' and b.account_erased_at is null and b.changed_at < $1 and b.status <> 'open'
       and not exists (
         select 1 from bank_item c
         where c.parent_id = b.attempt_id and (c.status = 'open' or c.changed_at >= $1)
       )
     order by b.changed_at limit $3::int4
     for update skip locked
   ), marked as (
     update bank_item b set account_erased_at = $2
     from aged where b.attempt_id = aged.attempt_id or b.parent_id = aged.attempt_id
     returning b.account_id, b.bank_account_id, b.corrected_account_id, b.replaced_account_ids
   )
   select account_id, bank_account_id from marked
   union
   select account_id, corrected_account_id from marked where corrected_account_id is not null
   union
   select account_id, unnest(replaced_account_ids) from marked`,
)

export async function markErased(
  tx: Tx,
  { before, at, most }: { before: Temporal.Instant; at: Temporal.Instant; most: number },
): Promise<readonly BankAccountRef[]> {
  const rows = await tx.run(markErasedStatement, [before, at, most])
  return rows.map((row) => ({
    account: accountId(row.account_id),
    bankAccountId: row.bank_account_id as BankAccountId,
  }))
}
