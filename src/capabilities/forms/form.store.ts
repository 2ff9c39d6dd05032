import { consentId } from '#capabilities/consents/consent.ts'
import { planFromStored, storedPlan } from '#capabilities/forms/form-plan.store.ts'
import type { Form, FormId, FormPayer, FormState, NewForm } from '#capabilities/forms/form.ts'
import { brandsIn, wordsIn } from '#capabilities/forms/stored-lists.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, apiUserId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import {
  bool,
  bytea,
  int4,
  int8,
  jsonb,
  nullable,
  text,
  timestamptz,
} from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

export const formColumns = {
  form_id: int8,
  account_id: int8,
  merchant_number: int4,
  user_id: int8,
  state: text,
  amount_minor: nullable(int8),
  fee_minor: nullable(int8),
  currency: text,
  visible: int4,
  read_only: int4,
  styles: int4,
  submission: int4,
  colors: text,
  post_url: text,
  redirect_url: text,
  client_ref: text,
  guid: text,
  key_index: text,
  payer: jsonb,
  plan: nullable(jsonb),
  link_id: nullable(int8),
  tries: int4,
  attempt_ref: text,
  order_ref: text,
  payer_email: text,
  receipt_email: text,
  payer_language: text,
  bank_agreement: text,
  agreed_from: text,
  consent_id: nullable(int8),
  browser_digest: nullable(bytea),
  is_extended: bool,
  created_at: timestamptz,
  expires_at: timestamptz,
  paid_at: nullable(timestamptz),
  phone: nullable(text),
  origins: nullable(text),
  brands: nullable(text),
  is_account_open: bool,
} as const

export const formSelection = `select f.form_id, f.account_id, f.merchant_number, f.user_id, f.state,
     f.amount_minor, f.fee_minor, f.currency, f.visible, f.read_only, f.styles, f.submission, f.colors,
     f.post_url, f.redirect_url, f.client_ref, f.guid, f.key_index, f.payer, f.plan, f.link_id,
     f.tries,
     f.attempt_ref, f.consent_id, f.browser_digest, f.order_ref, f.payer_email, f.receipt_email,
     f.payer_language, f.bank_agreement, f.agreed_from, f.is_extended, f.created_at, f.expires_at, f.paid_at,
     s.phone, s.origins, s.brands, a.state = 'open' as is_account_open
   from form f join account a using (account_id)
     left join form_setting s using (account_id, merchant_number)`

const maskTypes = [int4, int4, int4, int4] as const
const wordTypes = [text, text, text, text, text, text] as const

const insertFormStatement = statement(
  'insert_form',
  [
    int8,
    int4,
    int8,
    bytea,
    nullable(int8),
    nullable(int8),
    text,
    ...maskTypes,
    ...wordTypes,
    jsonb,
    nullable(jsonb),
    nullable(int8),
    timestamptz,
    timestamptz,
  ],
  { form_id: int8 },
  `insert into form (account_id, merchant_number, user_id, token_digest, amount_minor, fee_minor, currency,
     visible, read_only, styles, submission, colors, post_url, redirect_url, client_ref, guid, key_index,
     payer, plan, link_id, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
     $21, $22)
   on conflict (token_digest) do nothing
   returning form_id`,
)

const findFormStatement = statement(
  'find_form',
  [bytea],
  formColumns,
  `${formSelection}
   where f.token_digest = $1`,
)

// Forms of one account, newest first: by id, by token, by a reference of the merchant's, or all.
const listFormsStatement = statement(
  'list_forms',
  [int8, nullable(int4), nullable(int8), nullable(bytea), text, int4],
  formColumns,
  `${formSelection}
   where f.account_id = $1 and ($2::integer is null or f.merchant_number = $2)
     and ($3::bigint is null or f.form_id = $3) and ($4::bytea is null or f.token_digest = $4)
     and ($5 = '' or f.client_ref = $5 or f.guid = $5)
   order by f.form_id desc limit $6::integer`,
)

const extendFormStatement = statement(
  'extend_form',
  [int8, timestamptz, timestamptz],
  { form_id: int8 },
  `update form set is_extended = true, expires_at = $2
   where form_id = $1 and state = 'open' and not is_extended and expires_at > $3
   returning form_id`,
)

const closeFormStatement = statement(
  'close_form',
  [int8],
  {},
  `update form set state = 'closed' where form_id = $1 and state = 'open'`,
)

// Whoever comes second with the same token changes nothing.
export async function insertForm(tx: Queryable, form: NewForm): Promise<void> {
  const { masks } = form
  await tx.run(insertFormStatement, [
    form.accountId,
    form.merchantNumber,
    form.userId,
    form.tokenDigest,
    form.amount?.minor ?? null,
    form.fee?.minor ?? null,
    form.currency,
    masks.visible,
    masks.readOnly,
    masks.styles,
    masks.submission,
    form.colors,
    form.postUrl,
    form.redirectUrl,
    form.clientRef,
    form.guid,
    form.keyIndex,
    form.payer,
    form.plan && storedPlan(form.plan),
    form.linkId,
    form.createdAt,
    form.expiresAt,
  ])
}

export async function findByDigest(db: Queryable, tokenDigest: Buffer): Promise<Form | null> {
  const [row] = await db.run(findFormStatement, [tokenDigest])
  return row ? formFromRow(row) : null
}

type Sought = {
  readonly account: AccountId
  readonly merchant: MerchantNumber | null
  readonly form: bigint | null
  readonly tokenDigest: Buffer | null
  // Empty: any.
  readonly reference: string
  readonly most: number
}

export async function listForms(db: Queryable, sought: Sought): Promise<readonly Form[]> {
  const { account, merchant, form, tokenDigest, reference, most } = sought
  const rows = await db.run(listFormsStatement, [account, merchant, form, tokenDigest, reference, most])
  return rows.map(formFromRow)
}

type Extension = {
  readonly form: FormId
  readonly until: Temporal.Instant
  readonly now: Temporal.Instant
}

export async function extendForm(db: Queryable, { form, until, now }: Extension): Promise<boolean> {
  return (await db.run(extendFormStatement, [form, until, now])).length > 0
}

export async function markClosed(db: Queryable, form: FormId): Promise<void> {
  await db.run(closeFormStatement, [form])
}

// Of a form that has no row yet.
export const noFormId = 0n as FormId

export function formFromRow(row: RowOf<typeof formColumns>): Form {
  const currency = row.currency as Currency
  return {
    formId: row.form_id as FormId,
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    userId: apiUserId(row.user_id),
    state: row.state as FormState,
    amount: row.amount_minor === null ? null : { minor: row.amount_minor, currency },
    fee: row.fee_minor === null ? null : { minor: row.fee_minor, currency },
    currency,
    masks: {
      visible: row.visible,
      readOnly: row.read_only,
      styles: row.styles,
      submission: row.submission,
    },
    colors: row.colors,
    postUrl: row.post_url,
    redirectUrl: row.redirect_url,
    clientRef: row.client_ref,
    guid: row.guid,
    keyIndex: row.key_index,
    payer: row.payer as FormPayer,
    plan: row.plan === null ? null : planFromStored(row.plan, currency),
    linkId: row.link_id,
    tries: row.tries,
    attemptRef: row.attempt_ref === '' ? null : (row.attempt_ref as AcquirerRef),
    orderRef: row.order_ref === '' ? null : row.order_ref,
    said: {
      email: row.payer_email,
      receiptEmail: row.receipt_email,
      language: row.payer_language,
      bankAgreement: row.bank_agreement,
      agreedFrom: row.agreed_from,
    },
    consentId: row.consent_id === null ? null : consentId(row.consent_id),
    browserDigest: row.browser_digest,
    isExtended: row.is_extended,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    paidAt: row.paid_at,
    phone: row.phone ?? '',
    origins: wordsIn(row.origins ?? ''),
    brands: brandsIn(row.brands ?? ''),
    isAccountOpen: row.is_account_open,
  }
}
