import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import type { FeeKind, Merchant, MerchantSettings } from '#engine/merchants/merchant.ts'
import { arrayOf, bool, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const merchantColumns = {
  account_id: int8,
  merchant_number: int4,
  name: text,
  location: text,
  address: text,
  terminal_id: text,
  time_zone: text,
  currency: text,
  is_international: bool,
  takes_ach: bool,
  region: text,
  region_confirmed: bool,
  fee_kind: text,
  fee_basis_points: int4,
  fee_fixed_minor: int8,
  limit_per_charge_minor: int8,
  limit_lifetime_minor: int8,
  consent_days: int4,
  collects_automatically: bool,
  collects_at_minute: int4,
  look_alike_seconds: int4,
  mails_receipts: bool,
  card_like_references_reason: text,
} as const

const descriptionTypes = [text, text, text, text, text, text, bool, bool] as const
const feeTypes = [text, bool, text, int4, int8] as const
const settingTypes = [
  ...descriptionTypes,
  ...feeTypes,
  int8,
  int8,
  int4,
  bool,
  int4,
  int4,
  bool,
  text,
] as const

// The account's own row hands out the numbers, so that two records added at once get different ones.
const insertMerchantStatement = statement(
  'insert_merchant',
  [int8, timestamptz, ...settingTypes],
  merchantColumns,
  `with numbered as (
     update account set last_merchant_number = last_merchant_number + 1, changed_at = $2
     where account_id = $1
     returning account_id, last_merchant_number
   )
   insert into merchant (account_id, merchant_number, name, location, address, terminal_id, time_zone,
     currency, is_international, takes_ach, region, region_confirmed, fee_kind, fee_basis_points,
     fee_fixed_minor, limit_per_charge_minor, limit_lifetime_minor, consent_days, collects_automatically,
     collects_at_minute, look_alike_seconds, mails_receipts, card_like_references_reason,
     created_at, changed_at)
   select account_id, last_merchant_number, $3, $4, $5, $6, $7,
     $8, $9, $10, $11, $12, $13, $14,
     $15, $16, $17, $18, $19,
     $20, $21, $22, $23, $2, $2
   from numbered
   returning account_id, merchant_number, name, location, address, terminal_id, time_zone, currency,
     is_international, takes_ach, region, region_confirmed, fee_kind, fee_basis_points, fee_fixed_minor,
     limit_per_charge_minor, limit_lifetime_minor, consent_days, collects_automatically, collects_at_minute,
     look_alike_seconds, mails_receipts, card_like_references_reason`,
)

const changeMerchantStatement = statement(
  'change_merchant',
  [int8, int4, timestamptz, ...settingTypes],
  merchantColumns,
  `update merchant
   set name = $4, location = $5, address = $6, terminal_id = $7, time_zone = $8, currency = $9,
     is_international = $10, takes_ach = $11, region = $12, region_confirmed = $13, fee_kind = $14,
     fee_basis_points = $15, fee_fixed_minor = $16, limit_per_charge_minor = $17, limit_lifetime_minor = $18,
     consent_days = $19, collects_automatically = $20, collects_at_minute = $21, look_alike_seconds = $22,
     mails_receipts = $23, card_like_references_reason = $24, changed_at = $3
   where account_id = $1 and merchant_number = $2
   returning account_id, merchant_number, name, location, address, terminal_id, time_zone, currency,
     is_international, takes_ach, region, region_confirmed, fee_kind, fee_basis_points, fee_fixed_minor,
     limit_per_charge_minor, limit_lifetime_minor, consent_days, collects_automatically, collects_at_minute,
     look_alike_seconds, mails_receipts, card_like_references_reason`,
)

const listMerchantsStatement = statement(
  'list_merchants',
  [arrayOf(int8)],
  merchantColumns,
  `select account_id, merchant_number, name, location, address, terminal_id, time_zone, currency,
     is_international, takes_ach, region, region_confirmed, fee_kind, fee_basis_points, fee_fixed_minor,
     limit_per_charge_minor, limit_lifetime_minor, consent_days, collects_automatically, collects_at_minute,
     look_alike_seconds, mails_receipts, card_like_references_reason
   from merchant where account_id = any($1) order by account_id, merchant_number`,
)

export async function insertMerchant(
  db: Queryable,
  { account, settings, at }: { account: AccountId; settings: MerchantSettings; at: Temporal.Instant },
): Promise<Merchant | null> {
  const [row] = await db.run(insertMerchantStatement, [account, at, ...settingValues(settings)])
  return row ? merchantFromRow(row) : null
}

// Without an index of its own: it is asked for once in the life of a record.
const hasChargesStatement = statement(
  'has_charges_of_merchant',
  [int8, int4],
  { has_charges: bool },
  `select exists (
     select 1 from attempt where account_id = $1 and merchant_number = $2
   ) as has_charges`,
)

type RecordOf = { readonly account: AccountId; readonly merchant: MerchantNumber }

export async function hasCharges(db: Queryable, { account, merchant }: RecordOf): Promise<boolean> {
  const [row] = await db.run(hasChargesStatement, [account, merchant])
  return row?.has_charges ?? false
}

// No index for it either. Whatever is in the list is paid in the currency in which it was made.
const isNewCurrencyStatement = statement(
  'is_new_currency_of_used_merchant',
  [int8, int4, text],
  { is_new: bool },
  `with used as not materialized (
     select currency from attempt where account_id = $1 and merchant_number = $2
     union all select currency from consent where account_id = $1 and merchant_number = $2
     union all select currency from form where account_id = $1 and merchant_number = $2
     union all select currency from link where account_id = $1 and merchant_number = $2
   )
   select exists (select 1 from used) and not exists (select 1 from used where currency = $3) as is_new`,
)

// Whether a record is used, but has never been with that currency.
export async function isNewCurrency(
  db: Queryable,
  { account, merchant, currency }: RecordOf & { readonly currency: Currency },
): Promise<boolean> {
  const [row] = await db.run(isNewCurrencyStatement, [account, merchant, currency])
  return row?.is_new ?? false
}

export async function changeMerchantSettings(
  db: Queryable,
  change: { account: AccountId; merchant: MerchantNumber; settings: MerchantSettings; at: Temporal.Instant },
): Promise<Merchant | null> {
  const { account, merchant, settings, at } = change
  const [row] = await db.run(changeMerchantStatement, [account, merchant, at, ...settingValues(settings)])
  return row ? merchantFromRow(row) : null
}

// The records of many accounts, in the order of the accounts.
export async function loadMerchants(
  db: Queryable,
  accounts: readonly AccountId[],
): Promise<readonly (readonly Merchant[])[]> {
  const rows = await db.run(listMerchantsStatement, [[...new Set(accounts)]])
  const byAccount = Map.groupBy(rows.map(merchantFromRow), (merchant) => merchant.accountId)
  return accounts.map((account) => byAccount.get(account) ?? [])
}

function settingValues(settings: MerchantSettings) {
  return [
    settings.name,
    settings.location,
    settings.address,
    settings.terminalId,
    settings.timeZone,
    settings.currency,
    settings.isInternational,
    settings.takesAch,
    settings.region,
    settings.isRegionConfirmed,
    settings.feeKind,
    settings.feeBasisPoints,
    settings.feeFixedMinor,
    settings.limitPerChargeMinor,
    settings.limitLifetimeMinor,
    settings.consentDays,
    settings.collectsAutomatically,
    settings.collectsAtMinute,
    settings.lookAlikeSeconds,
    settings.mailsReceipts,
    settings.cardLikeReferencesReason,
  ] as const
}

function merchantFromRow(row: RowOf<typeof merchantColumns>): Merchant {
  return {
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    name: row.name,
    location: row.location,
    address: row.address,
    terminalId: row.terminal_id,
    timeZone: row.time_zone,
    currency: row.currency as Currency,
    isInternational: row.is_international,
    takesAch: row.takes_ach,
    region: row.region,
    isRegionConfirmed: row.region_confirmed,
    feeKind: row.fee_kind as FeeKind,
    feeBasisPoints: row.fee_basis_points,
    feeFixedMinor: row.fee_fixed_minor,
    limitPerChargeMinor: row.limit_per_charge_minor,
    limitLifetimeMinor: row.limit_lifetime_minor,
    consentDays: row.consent_days,
    collectsAutomatically: row.collects_automatically,
    collectsAtMinute: row.collects_at_minute,
    lookAlikeSeconds: row.look_alike_seconds,
    mailsReceipts: row.mails_receipts,
    cardLikeReferencesReason: row.card_like_references_reason,
  }
}
