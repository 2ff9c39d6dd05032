import { int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const correctItemStatement = statement(
  'correct_bank_item',
  [int8, text, nullable(int8), timestamptz],
  {},
  `update bank_item
   set correction_code = $2, corrected_account_id = coalesce($3, corrected_account_id),
     account_erased_at = case when $3 is null then account_erased_at end, changed_at = $4
   where attempt_id = $1`,
)

// The debit, for credits that are still to come, and those credits of it that wait for their file.
const redirectCreditsStatement = statement(
  'redirect_bank_credits',
  [int8, int8, timestamptz],
  {},
  `update bank_item
   set corrected_account_id = case kind when 'debit' then $2 else corrected_account_id end,
     bank_account_id = case kind when 'debit' then bank_account_id else $2 end,
     account_erased_at = null, changed_at = $3
   where attempt_id = $1 or (parent_id = $1 and status = 'open' and batch_id is null)`,
)

type Correction = {
  readonly item: bigint
  // Of which the item gives something back, or the item itself.
  readonly debit: bigint
  readonly code: string
  // Where the bank told a better account; null when it told something else.
  readonly bankAccount: bigint | null
}

// What was sent stays as it is. Whatever is given back from now on goes to the better account: the account of
// a debit and of its credits is the same one, whichever of them its bank writes about.
export async function correctItem(
  tx: Tx,
  { item, debit, code, bankAccount }: Correction,
  at: Temporal.Instant,
): Promise<void> {
  await tx.run(correctItemStatement, [item, code, bankAccount, at])
  if (bankAccount !== null) await tx.run(redirectCreditsStatement, [debit, bankAccount, at])
}
