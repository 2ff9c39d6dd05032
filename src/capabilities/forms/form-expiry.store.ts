import type { Form, FormId } from '#capabilities/forms/form.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber } from '#kernel/ids.ts'
import { int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// A link that nobody paid in time tells so itself, not its forms.
const listAccountsStatement = statement(
  'list_accounts_with_forms_to_expire',
  [timestamptz],
  { account_id: int8 },
  `select distinct account_id from form where state in ('open', 'closed') and link_id is null
     and expires_at <= $1`,
)

export async function listAccountsToExpire(
  db: Queryable,
  at: Temporal.Instant,
): Promise<readonly AccountId[]> {
  return (await db.run(listAccountsStatement, [at])).map((row) => accountId(row.account_id))
}

const findNextStatement = statement(
  'find_next_form_to_expire',
  [int8, timestamptz, timestamptz],
  { expires_at: nullable(timestamptz) },
  `select min(expires_at) as expires_at from form
   where state in ('open', 'closed') and link_id is null and account_id = $1
     and expires_at > $2 and expires_at <= $3`,
)

type Span = {
  readonly accountId: AccountId
  readonly after: Temporal.Instant
  readonly until: Temporal.Instant
}

export async function findNextToExpire(db: Queryable, span: Span): Promise<Temporal.Instant | null> {
  const [row] = await db.run(findNextStatement, [span.accountId, span.after, span.until])
  return row?.expires_at ?? null
}

const expireStatement = statement(
  'expire_forms',
  [int8, timestamptz, int4],
  {
    form_id: int8,
    merchant_number: int4,
    amount_minor: nullable(int8),
    currency: text,
    client_ref: text,
    guid: text,
    tries: int4,
    expires_at: timestamptz,
  },
  `with due as (
     select form_id from form
     where state in ('open', 'closed') and link_id is null and account_id = $1
     and expires_at <= $2
     order by expires_at, form_id
     limit $3::integer
     for update skip locked)
   update form f set state = 'expired' from due where f.form_id = due.form_id
   returning f.form_id, f.merchant_number, f.amount_minor, f.currency, f.client_ref, f.guid, f.tries,
     f.expires_at`,
)

export type ExpiredForm = Pick<
  Form,
  'formId' | 'merchantNumber' | 'amount' | 'currency' | 'clientRef' | 'guid' | 'tries' | 'expiresAt'
>

type Expiry = { readonly account: AccountId; readonly at: Temporal.Instant; readonly most: number }

// Whoever is paying at that moment keeps the form; it expires once that has come to nothing.
export async function expireForms(tx: Tx, { account, at, most }: Expiry): Promise<readonly ExpiredForm[]> {
  const rows = await tx.run(expireStatement, [account, at, most])
  return rows.map((row) => {
    const currency = row.currency as Currency
    return {
      formId: row.form_id as FormId,
      merchantNumber: merchantNumber(row.merchant_number),
      amount: row.amount_minor === null ? null : { minor: row.amount_minor, currency },
      currency,
      clientRef: row.client_ref,
      guid: row.guid,
      tries: row.tries,
      expiresAt: row.expires_at,
    }
  })
}

const countOpenStatement = statement(
  'count_open_forms',
  [int8],
  { forms: int8 },
  `select count(*) as forms from form
   where account_id = $1 and state in ('open', 'paying') and link_id is null`,
)

export async function countOpen(db: Queryable, account: AccountId): Promise<bigint> {
  const [row] = await db.run(countOpenStatement, [account])
  return row?.forms ?? 0n
}
