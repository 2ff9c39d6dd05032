import type { AccountId } from '#kernel/ids.ts'
import { bool, int8 } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const findSaleTermsStatement = statement(
  'find_sale_terms',
  [int8],
  { allows_partial_approvals: bool },
  `select allows_partial_approvals from account where account_id = $1`,
)

// What the account has agreed to for its sales.
export type SaleTerms = { readonly acceptsPartial: boolean }

export async function loadSaleTerms(db: Queryable, account: AccountId): Promise<SaleTerms> {
  const [row] = await db.run(findSaleTermsStatement, [account])
  return { acceptsPartial: row?.allows_partial_approvals ?? false }
}
