import type {
  ConsentId,
  ConsentKey,
  ConsentKind,
  ConsentState,
  ConsentToCharge,
} from '#capabilities/consents/consent.ts'
import { cardFromRow, payerFromRow } from '#capabilities/consents/consent.store.ts'
import type { CardAtRest } from '#engine/vault/vault.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, merchantNumber } from '#kernel/ids.ts'
import { arrayOf, bytea, date, int4, int8, nullable, text } from '#platform/postgres/column-type.ts'
import { columnsOf } from '#platform/postgres/columns.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const chargeableColumns = {
  consent_id: int8,
  account_id: int8,
  merchant_number: int4,
  kind: text,
  state: text,
  card_id: int8,
  currency: text,
  ends_on: date,
  customer_ref: text,
  service: text,
  guid: text,
  holder_first_name: text,
  holder_last_name: text,
  customer_first_name: text,
  customer_last_name: text,
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
  ciphertext: bytea,
  wrapped: nullable(bytea),
  kek_version: nullable(int4),
} as const

// Every charge reads it, so it reads no column and no row more than a charge needs.
const findChargeableConsentsStatement = statement(
  'find_chargeable_consents',
  [arrayOf(int8), arrayOf(int8)],
  chargeableColumns,
  `select c.consent_id, c.account_id, c.merchant_number, c.kind, c.state, c.card_id, c.currency, c.ends_on,
     c.customer_ref, c.service, c.guid, c.holder_first_name, c.holder_last_name, c.customer_first_name,
     c.customer_last_name, c.email, c.phone, c.street, c.zip, c.network_id, v.first_six, v.last_four,
     v.number_length, v.brand, v.kind as card_kind, v.exp_month, v.exp_year, v.ciphertext, v.wrapped,
     v.kek_version
   from unnest($1::int8[], $2::int8[]) as i (account_id, consent_id)
   join consent c on c.consent_id = i.consent_id and c.account_id = i.account_id
   join vault_card v on v.card_id = c.card_id`,
)

const columnsOfKeys = columnsOf<ConsentKey>()(
  (one) => one.accountId,
  ({ consentId }) => consentId,
)

// A consent with its card as it lies in the vault: null once the card is erased.
export type ChargeableConsent = {
  readonly consent: ConsentToCharge
  readonly sealedCard: CardAtRest | null
}

// One read for many charges, in the order of what was asked.
export async function findChargeableConsents(
  db: Queryable,
  keys: readonly ConsentKey[],
): Promise<readonly (ChargeableConsent | null)[]> {
  const rows = await db.run(findChargeableConsentsStatement, columnsOfKeys(keys))
  const found = new Map<bigint, ChargeableConsent>()
  for (const row of rows) found.set(row.consent_id, chargeableFromRow(row))
  const asked: (ChargeableConsent | null)[] = []
  for (const key of keys) asked.push(ownedBy(key.accountId, found.get(key.consentId)))
  return asked
}

function ownedBy(
  account: ConsentKey['accountId'],
  found: ChargeableConsent | undefined,
): ChargeableConsent | null {
  return found?.consent.accountId === account ? found : null
}

function chargeableFromRow(row: RowOf<typeof chargeableColumns>): ChargeableConsent {
  const consent = consentToChargeFromRow(row)
  const { accountId: account, card } = consent
  const { ciphertext: sealed, wrapped, kek_version: keyVersion } = row
  const sealedCard =
    wrapped && keyVersion !== null
      ? { account, cardId: card.cardId, sealed, wrapped, keyVersion, expiry: card.expiry }
      : null
  return { consent, sealedCard }
}

function consentToChargeFromRow(row: RowOf<typeof chargeableColumns>): ConsentToCharge {
  return {
    consentId: row.consent_id as ConsentId,
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    kind: row.kind as ConsentKind,
    state: row.state as ConsentState,
    currency: row.currency as Currency,
    endsOn: row.ends_on,
    details: payerFromRow(row),
    networkId: row.network_id,
    card: cardFromRow(row),
  }
}
