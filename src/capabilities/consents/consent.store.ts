import type {
  Consent,
  ConsentCard,
  ConsentDetails,
  ConsentId,
  ConsentKey,
  ConsentKind,
  ConsentState,
  ConsentTerms,
  NewConsent,
} from '#capabilities/consents/consent.ts'
import type { CardKind } from '#engine/acquirers/acquirer.ts'
import type { CardId } from '#engine/vault/vault.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import {
  arrayOf,
  bool,
  date,
  int4,
  int8,
  nullable,
  text,
  timestamptz,
} from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const consentColumns = {
  consent_id: int8,
  account_id: int8,
  merchant_number: int4,
  kind: text,
  state: text,
  card_id: int8,
  currency: text,
  limit_per_charge_minor: int8,
  limit_lifetime_minor: int8,
  used_minor: int8,
  starts_on: date,
  ends_on: date,
  days: int4,
  customer_ref: text,
  service: text,
  guid: text,
  holder_first_name: text,
  holder_last_name: text,
  customer_first_name: text,
  customer_last_name: text,
  company: text,
  email: text,
  phone: text,
  street: text,
  zip: text,
  network_id: text,
  first_six: text,
  last_four: text,
  number_length: int4,
  brand: text,
  card_kind: text,
  exp_month: int4,
  exp_year: int4,
  allows_partial_approvals: bool,
} as const

const consentSelection = `c.consent_id, c.account_id, c.merchant_number, c.kind, c.state,
     c.card_id, c.currency, c.limit_per_charge_minor, c.limit_lifetime_minor, c.used_minor, c.starts_on,
     c.ends_on, c.days, c.customer_ref, c.service, c.guid, c.holder_first_name, c.holder_last_name,
     c.customer_first_name, c.customer_last_name, c.company, c.email, c.phone, c.street, c.zip, c.network_id,
     v.first_six, v.last_four, v.number_length, v.brand, v.kind as card_kind, v.exp_month, v.exp_year,
     a.allows_partial_approvals`

const listConsentsStatement = statement(
  'list_consents',
  [int8, arrayOf(int8)],
  consentColumns,
  `select ${consentSelection}
   from consent c join account a using (account_id) join vault_card v on v.card_id = c.card_id
   where c.account_id = $1 and c.consent_id = any($2)`,
)

const lockConsentStatement = statement(
  'lock_consent',
  [int8, int8],
  consentColumns,
  `select ${consentSelection}
   from consent c join account a using (account_id) join vault_card v on v.card_id = c.card_id
   where c.account_id = $1 and c.consent_id = $2
   for update of c`,
)

const termTypes = [int8, int4, text, text, int8, text, int8, int8, date, date, int4] as const
const detailTypes = [text, text, text, text, text, text, text, text, text, text, text, text] as const

const insertConsentStatement = statement(
  'insert_consent',
  [...termTypes, ...detailTypes, text, int8, text, timestamptz, text],
  { consent_id: int8 },
  `insert into consent (account_id, merchant_number, kind, state, card_id, currency, limit_per_charge_minor,
     limit_lifetime_minor, starts_on, ends_on, days, customer_ref, service, guid, holder_first_name,
     holder_last_name, customer_first_name, customer_last_name, company, email, phone, street, zip,
     creation_ref, created_by_user, agreed_from, agreed_at, created_at, changed_at, agreement,
     agreed_per_charge_minor, agreed_lifetime_minor, agreed_ends_on)
   values ($1, $2, $3::text, $4::text, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
     $20, $21, $22, $23, $24, $25, $26, $27, $27, $27, $28, $7, $8, $10)
   returning consent_id`,
)

// Where the issuer was asked, the attempt has the same reference and tells what came of it.
const findUnverifiedConsentStatement = statement(
  'find_unverified_consent',
  [int8, text, nullable(int4)],
  { consent_id: int8 },
  `select consent_id from consent c where account_id = $1 and creation_ref = $2
     and ($3::int4 is null or merchant_number = $3)
     and not exists (select 1 from attempt a where a.acquirer_ref = c.creation_ref)`,
)

const changeConsentStatement = statement(
  'change_consent',
  [int8, int8, int8, int8, date, int4, text, text, text, text, text, timestamptz],
  {},
  `update consent
   set limit_per_charge_minor = $3, limit_lifetime_minor = $4, ends_on = $5, days = $6, email = $7, zip = $8,
     is_end_told = is_end_told and ends_on = $5, customer_ref = $9, service = $10, guid = $11,
     changed_at = $12
   where account_id = $1 and consent_id = $2`,
)

const cancelConsentStatement = statement(
  'cancel_consent',
  [int8, int8, timestamptz],
  {},
  `update consent set state = 'cancelled', changed_at = $3 where account_id = $1 and consent_id = $2`,
)

export async function listConsents(
  db: Queryable,
  account: AccountId,
  consents: readonly ConsentId[],
): Promise<readonly Consent[]> {
  return (await db.run(listConsentsStatement, [account, consents])).map(consentFromRow)
}

// Charges under the consent wait until the transaction is over.
export async function lockConsent(tx: Tx, key: ConsentKey): Promise<Consent | null> {
  const [row] = await tx.run(lockConsentStatement, [key.accountId, key.consentId])
  return row ? consentFromRow(row) : null
}

export async function insertConsent(tx: Tx, made: NewConsent): Promise<ConsentId> {
  const { details } = made
  const [row] = await tx.run(insertConsentStatement, [
    made.accountId,
    made.merchantNumber,
    made.kind,
    made.state,
    made.cardId,
    made.limitPerCharge.currency,
    made.limitPerCharge.minor,
    made.limitLifetime.minor,
    made.startsOn,
    made.endsOn,
    made.days,
    details.customerRef,
    details.service,
    details.guid,
    details.holderFirstName,
    details.holderLastName,
    details.customerFirstName,
    details.customerLastName,
    details.company,
    details.email,
    details.phone,
    details.street,
    details.zip,
    made.creationRef,
    made.userId,
    made.agreedFrom,
    made.at,
    made.agreement,
  ])
  if (!row) throw new Error('Broken promise: what is inserted comes back')
  return row.consent_id as ConsentId
}

type UnverifiedSearch = {
  readonly account: AccountId
  // The only merchant record whose consents are shown; null for all.
  readonly merchant: MerchantNumber | null
  readonly creationRef: string
}

export async function findUnverifiedConsent(
  db: Queryable,
  { account, merchant, creationRef }: UnverifiedSearch,
): Promise<ConsentId | null> {
  const [row] = await db.run(findUnverifiedConsentStatement, [account, creationRef, merchant])
  return row ? (row.consent_id as ConsentId) : null
}

type ConsentChange = ConsentKey &
  Omit<ConsentTerms, 'startsOn'> &
  Pick<Consent, 'details'> & { readonly at: Temporal.Instant }

export async function changeConsent(tx: Tx, change: ConsentChange): Promise<void> {
  const { details } = change
  await tx.run(changeConsentStatement, [
    change.accountId,
    change.consentId,
    change.limitPerCharge.minor,
    change.limitLifetime.minor,
    change.endsOn,
    change.days,
    details.email,
    details.zip,
    details.customerRef,
    details.service,
    details.guid,
    change.at,
  ])
}

export async function setConsentCancelled(tx: Tx, key: ConsentKey, at: Temporal.Instant): Promise<void> {
  await tx.run(cancelConsentStatement, [key.accountId, key.consentId, at])
}

function consentFromRow(row: RowOf<typeof consentColumns>): Consent {
  const currency = row.currency as Currency
  return {
    consentId: row.consent_id as ConsentId,
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    kind: row.kind as ConsentKind,
    state: row.state as ConsentState,
    currency,
    limitPerCharge: { minor: row.limit_per_charge_minor, currency },
    limitLifetime: { minor: row.limit_lifetime_minor, currency },
    used: { minor: row.used_minor, currency },
    startsOn: row.starts_on,
    endsOn: row.ends_on,
    days: row.days,
    details: { ...payerFromRow(row), company: row.company },
    networkId: row.network_id,
    card: cardFromRow(row),
    allowsPartialApprovals: row.allows_partial_approvals,
  }
}

type ConsentRow = RowOf<typeof consentColumns>

// What a charge and everybody else reads of a consent's payer.
export function payerFromRow(row: PayerRow): Omit<ConsentDetails, 'company'> {
  return {
    customerRef: row.customer_ref,
    service: row.service,
    guid: row.guid,
    holderFirstName: row.holder_first_name,
    holderLastName: row.holder_last_name,
    customerFirstName: row.customer_first_name,
    customerLastName: row.customer_last_name,
    email: row.email,
    phone: row.phone,
    street: row.street,
    zip: row.zip,
  }
}

type PayerRow = Pick<
  ConsentRow,
  | 'customer_ref'
  | 'service'
  | 'guid'
  | 'holder_first_name'
  | 'holder_last_name'
  | 'customer_first_name'
  | 'customer_last_name'
  | 'email'
  | 'phone'
  | 'street'
  | 'zip'
>

export function cardFromRow(row: CardRow): ConsentCard {
  return {
    cardId: row.card_id as CardId,
    firstSix: row.first_six,
    lastFour: row.last_four,
    numberLength: row.number_length,
    brand: row.brand as CardBrand,
    kind: row.card_kind as CardKind,
    expiry: { month: row.exp_month, year: row.exp_year },
  }
}

type CardRow = Pick<
  ConsentRow,
  'card_id' | 'first_six' | 'last_four' | 'number_length' | 'brand' | 'card_kind' | 'exp_month' | 'exp_year'
>
