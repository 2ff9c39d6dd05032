import { consentId } from '#capabilities/consents/consent.ts'
import type { FormPayer } from '#capabilities/forms/form.ts'
import { brandsIn } from '#capabilities/forms/stored-lists.ts'
import type { Link, LinkId, LinkSending, LinkState, NewLink, Question } from '#capabilities/links/link.ts'
import { assert } from '#kernel/assert.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, apiUserId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import {
  bool,
  bytea,
  date,
  int4,
  int8,
  jsonb,
  nullable,
  text,
  timestamptz,
} from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const linkColumns = {
  link_id: int8,
  account_id: int8,
  merchant_number: int4,
  user_id: int8,
  state: text,
  is_single_use: bool,
  sending: text,
  recipient: text,
  body: text,
  amount_minor: nullable(int8),
  currency: text,
  visible: int4,
  read_only: int4,
  styles: int4,
  submission: int4,
  colors: text,
  redirect_url: text,
  key_index: text,
  client_ref: text,
  guid: text,
  payer: jsonb,
  due_on: nullable(date),
  consent_id: nullable(int8),
  questions: jsonb,
  wrong_answers: int4,
  is_locked: bool,
  rounds: int4,
  payments: int4,
  transaction_id: nullable(int8),
  created_at: timestamptz,
  expires_at: timestamptz,
  sent_at: nullable(timestamptz),
  opened_at: nullable(timestamptz),
  paid_at: nullable(timestamptz),
  ended_at: nullable(timestamptz),
  held_until: nullable(timestamptz),
  phone: nullable(text),
  brands: nullable(text),
  is_account_open: bool,
} as const

const linkSelection = `select l.link_id, l.account_id, l.merchant_number, l.user_id, l.state, l.is_single_use,
     l.sending, l.recipient, l.body, l.amount_minor, l.currency, l.visible, l.read_only, l.styles,
     l.submission, l.colors, l.redirect_url, l.key_index, l.client_ref, l.guid, l.payer, l.due_on,
     l.consent_id, l.questions, l.wrong_answers, l.is_locked, l.rounds, l.payments, l.transaction_id,
     l.created_at, l.expires_at, l.sent_at, l.opened_at, l.paid_at, l.ended_at, l.held_until,
     s.phone, s.brands, a.state = 'open' as is_account_open
   from link l join account a using (account_id)
     left join form_setting s using (account_id, merchant_number)`

const newLinkIdStatement = statement(
  'new_link_id',
  [],
  { link_id: int8 },
  `select nextval('link_id_seq') as link_id`,
)

const insertLinkStatement = statement(
  'insert_link',
  [
    int8,
    int8,
    int4,
    int8,
    bytea,
    bool,
    text,
    text,
    text,
    nullable(int8),
    text,
    int4,
    int4,
    int4,
    int4,
    text,
    text,
    text,
    text,
    text,
    jsonb,
    nullable(date),
    nullable(int8),
    jsonb,
    timestamptz,
    timestamptz,
    nullable(timestamptz),
  ],
  {},
  `insert into link (link_id, account_id, merchant_number, user_id, code_digest, is_single_use, sending,
     recipient, body, amount_minor, currency, visible, read_only, styles, submission, colors, redirect_url,
     key_index, client_ref, guid, payer, due_on, consent_id, questions, created_at, expires_at, sent_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
     $22, $23, $24, $25, $26, $27)`,
)

// Whoever knows the code may see the link, whatever its account.
const findLinkByCodeStatement = statement(
  'find_link_by_code',
  [bytea],
  linkColumns,
  `${linkSelection} where l.code_digest = $1`,
)

// Links of one account, newest first: by id, by code, by a reference or a recipient, or all.
const listLinksStatement = statement(
  'list_links',
  [int8, nullable(int4), nullable(int8), nullable(bytea), text, int4],
  linkColumns,
  `${linkSelection}
   where l.account_id = $1 and ($2::integer is null or l.merchant_number = $2)
     and ($3::bigint is null or l.link_id = $3) and ($4::bytea is null or l.code_digest = $4)
     and ($5 = '' or l.client_ref = $5 or l.guid = $5 or l.recipient = $5)
   order by l.link_id desc limit $6::integer`,
)

const lockLinkStatement = statement(
  'lock_link',
  [int8, nullable(int4), int8],
  linkColumns,
  `${linkSelection}
   where l.account_id = $1 and ($2::integer is null or l.merchant_number = $2) and l.link_id = $3
   for update of l`,
)

export async function newLinkId(db: Queryable): Promise<LinkId> {
  const [row] = await db.run(newLinkIdStatement, [])
  assert(row, 'a sequence always has another number')
  return row.link_id as LinkId
}

export async function insertLink(tx: Tx, link: NewLink): Promise<void> {
  const { masks } = link
  await tx.run(insertLinkStatement, [
    link.linkId,
    link.accountId,
    link.merchantNumber,
    link.userId,
    link.codeDigest,
    link.isSingleUse,
    link.sending,
    link.recipient,
    link.body,
    link.amount?.minor ?? null,
    link.currency,
    masks.visible,
    masks.readOnly,
    masks.styles,
    masks.submission,
    link.colors,
    link.redirectUrl,
    link.keyIndex,
    link.clientRef,
    link.guid,
    link.payer,
    link.dueOn,
    link.consentId,
    link.questions,
    link.createdAt,
    link.expiresAt,
    link.sentAt,
  ])
}

export async function findLinkByCode(db: Queryable, codeDigest: Buffer): Promise<Link | null> {
  const [row] = await db.run(findLinkByCodeStatement, [codeDigest])
  return row ? linkFromRow(row) : null
}

export type Sought = {
  readonly account: AccountId
  // null: of any merchant record.
  readonly merchant: MerchantNumber | null
  readonly link: bigint | null
  readonly codeDigest: Buffer | null
  // Empty: any.
  readonly reference: string
  readonly most: number
}

export async function listLinks(db: Queryable, sought: Sought): Promise<readonly Link[]> {
  const { account, merchant, link, codeDigest, reference, most } = sought
  const rows = await db.run(listLinksStatement, [account, merchant, link, codeDigest, reference, most])
  return rows.map(linkFromRow)
}

export type LinkKey = Pick<Sought, 'account' | 'merchant'> & { readonly link: bigint }

export async function lockLink(tx: Tx, { account, merchant, link }: LinkKey): Promise<Link | null> {
  const [row] = await tx.run(lockLinkStatement, [account, merchant, link])
  return row ? linkFromRow(row) : null
}

function linkFromRow(row: RowOf<typeof linkColumns>): Link {
  const currency = row.currency as Currency
  return {
    linkId: row.link_id as LinkId,
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    userId: apiUserId(row.user_id),
    state: row.state as LinkState,
    isSingleUse: row.is_single_use,
    sending: row.sending as LinkSending,
    recipient: row.recipient,
    body: row.body,
    amount: row.amount_minor === null ? null : { minor: row.amount_minor, currency },
    currency,
    masks: {
      visible: row.visible,
      readOnly: row.read_only,
      styles: row.styles,
      submission: row.submission,
    },
    colors: row.colors,
    redirectUrl: row.redirect_url,
    keyIndex: row.key_index,
    clientRef: row.client_ref,
    guid: row.guid,
    payer: row.payer as FormPayer,
    dueOn: row.due_on,
    consentId: row.consent_id === null ? null : consentId(row.consent_id),
    questions: row.questions as readonly Question[],
    wrongAnswers: row.wrong_answers,
    isLocked: row.is_locked,
    rounds: row.rounds,
    payments: row.payments,
    transactionId: row.transaction_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    sentAt: row.sent_at,
    openedAt: row.opened_at,
    paidAt: row.paid_at,
    endedAt: row.ended_at,
    heldUntil: row.held_until,
    phone: row.phone ?? '',
    brands: brandsIn(row.brands ?? ''),
    isAccountOpen: row.is_account_open,
  }
}
