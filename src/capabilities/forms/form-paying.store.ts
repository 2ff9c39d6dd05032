import type { PayerSaid } from '#capabilities/forms/form.ts'
import type { AccountId } from '#kernel/ids.ts'
import { arrayOf, bytea, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const saidTypes = [arrayOf(text), arrayOf(text), arrayOf(text), arrayOf(text), arrayOf(text)] as const

// Guarded by the number of tries that the page was made with: the same page sent twice begins one attempt.
const beginPayingStatement = statement(
  'begin_paying_forms',
  [
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(int4),
    arrayOf(int4),
    arrayOf(text),
    arrayOf(bytea),
    arrayOf(timestamptz),
    ...saidTypes,
  ],
  { form_id: int8 },
  `update form f
   set state = 'paying', tries = f.tries + begun.counts, attempt_ref = begun.ref,
     browser_digest = begun.browser, payer_email = begun.email, receipt_email = begun.receipt_email,
     payer_language = begun.language, bank_agreement = begun.agreement, agreed_from = begun.agreed_from
   from unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[], $5::text[], $6::bytea[],
       $7::timestamptz[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[])
     as begun (form_id, account_id, tries, counts, ref, browser, at, email, receipt_email, language,
       agreement, agreed_from)
   where f.form_id = begun.form_id and f.account_id = begun.account_id and f.state = 'open'
     and f.tries = begun.tries and f.expires_at > begun.at
   returning f.form_id`,
)

// The same for an order, whose payer goes to the bank before anything is charged: the form stays open
// meanwhile, at least for the ten minutes that the bank's check may last, and only the newest order can be
// charged.
const beginOrderStatement = statement(
  'begin_order_of_form',
  [int8, int8, int4, text, bytea, timestamptz, text, text, text],
  { form_id: int8 },
  `update form
   set tries = tries + 1, order_ref = $4, attempt_ref = '', browser_digest = $5, payer_email = $7,
     receipt_email = $8, payer_language = $9, expires_at = greatest(expires_at, $6 + interval '10 minutes')
   where form_id = $1 and account_id = $2 and state = 'open' and tries = $3 and expires_at > $6
   returning form_id`,
)

// Only by the newest attempt: whatever becomes of an older one changes nothing any more. A consent that was
// never made is told to nobody.
const settleFormsStatement = statement(
  'settle_forms',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), arrayOf(text), arrayOf(nullable(int8)), timestamptz],
  { form_id: int8 },
  `update form f
   set state = settled.state,
     consent_id = (
       select c.consent_id from consent c where c.consent_id = settled.consent_id and c.state <> 'not_made'
     ),
     paid_at = case when settled.state = 'paid' then $6::timestamptz end,
     is_posted = settled.state <> 'paid' or (f.post_url = '' and f.receipt_email = '')
   from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[])
     as settled (form_id, account_id, ref, state, consent_id)
   where f.form_id = settled.form_id and f.account_id = settled.account_id
     and f.attempt_ref = settled.ref and f.state = 'paying'
   returning f.form_id`,
)

export type Beginning = {
  readonly form: bigint
  readonly account: AccountId
  readonly tries: number
  readonly ref: string
  readonly browser: Buffer
  readonly said: PayerSaid
  readonly at: Temporal.Instant
}

// isCounted: as a try already, when its order began.
type PayingBeginning = Beginning & { readonly isCounted: boolean }

// Answers the forms that may be paid now.
export async function beginPaying(tx: Tx, begun: readonly PayingBeginning[]): Promise<ReadonlySet<bigint>> {
  const rows = await tx.run(beginPayingStatement, [
    begun.map(({ form }) => form),
    begun.map(({ account }) => account),
    begun.map(({ tries }) => tries),
    begun.map(({ isCounted }) => (isCounted ? 0 : 1)),
    begun.map(({ ref }) => ref),
    begun.map(({ browser }) => browser),
    begun.map(({ at }) => at),
    begun.map(({ said }) => said.email),
    begun.map(({ said }) => said.receiptEmail),
    begun.map(({ said }) => said.language),
    begun.map(({ said }) => said.bankAgreement),
    begun.map(({ said }) => said.agreedFrom),
  ])
  return new Set(rows.map((row) => row.form_id))
}

// false: the page is not the newest, or the form takes no payment any more.
export async function beginOrder(db: Queryable, begun: Beginning): Promise<boolean> {
  const { form, account, tries, ref, browser, at, said } = begun
  const words = [said.email, said.receiptEmail, said.language] as const
  return (await db.run(beginOrderStatement, [form, account, tries, ref, browser, at, ...words])).length > 0
}

export type Settled = {
  readonly form: bigint
  readonly account: AccountId
  readonly ref: string
  readonly state: 'paid' | 'open'
  readonly consent: bigint | null
}

export async function settleForms(tx: Tx, settled: readonly Settled[], at: Temporal.Instant): Promise<void> {
  await tx.run(settleFormsStatement, [
    settled.map(({ form }) => form),
    settled.map(({ account }) => account),
    settled.map(({ ref }) => ref),
    settled.map(({ state }) => state),
    settled.map(({ consent }) => consent),
    at,
  ])
}
