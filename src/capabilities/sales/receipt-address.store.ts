import type { Attempt } from '#engine/payments/attempt.ts'
import { int8, nullable, text } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Where the receipt of the sale went, or the one of the form that it was paid on; or else the address of its
// consent.
const findAddressStatement = statement(
  'find_receipt_address_of_sale',
  [int8, text, nullable(int8), nullable(int8)],
  { email: text },
  `select coalesce(
     (select email from receipt_request where acquirer_ref = $2 and account_id = $1),
     (select nullif(receipt_email, '') from form where form_id = $3 and account_id = $1),
     (select email from consent where consent_id = $4 and account_id = $1),
     '') as email`,
)

// Empty where none is known.
export async function findReceiptAddress(
  db: Queryable,
  { accountId, ref, following, details: { consentId } }: Attempt,
): Promise<string> {
  const form = following.find(({ follower }) => follower === 'form')?.subject ?? null
  const consent = consentId === '' ? null : BigInt(consentId)
  const [row] = await db.run(findAddressStatement, [accountId, ref, form, consent])
  return row?.email ?? ''
}
