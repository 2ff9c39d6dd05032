import { int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const noteCorrectionStatement = statement(
  'note_correction_of_bank_item',
  [int8, text, timestamptz],
  {},
  `update bank_item set correction_code = $2, changed_at = $3 where attempt_id = $1`,
)

const correctAccountStatement = statement(
  'correct_account_of_bank_debit',
  [int8, int8, timestamptz],
  {},
  `update bank_item set corrected_account_id = $2, account_erased_at = null, changed_at = $3,
     replaced_account_ids = array_remove(replaced_account_ids || corrected_account_id, null)
   where attempt_id = $1`,
)

type Correction = {
  // Which the bank has written about.
  readonly item: bigint
  // Of which the item gives something back, or the item itself.
  readonly debit: bigint
  readonly code: string
  // Where the bank told a better account; null when it told something else.
  readonly bankAccount: bigint | null
}

// The account of a debit and of its credits is one, whichever of them its bank writes about. The debit keeps
// the better one, and a credit takes it from there when it joins its file: what was sent stays as it is.
export async function correctItem(
  tx: Tx,
  { item, debit, code, bankAccount }: Correction,
  at: Temporal.Instant,
): Promise<void> {
  await tx.run(noteCorrectionStatement, [item, code, at])
  if (bankAccount !== null) await tx.run(correctAccountStatement, [debit, bankAccount, at])
}
