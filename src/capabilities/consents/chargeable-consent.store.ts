import type { Consent, ConsentKey } from '#capabilities/consents/consent.ts'
import { consentColumns, consentFromRow, consentSelection } from '#capabilities/consents/consent.store.ts'
import type { CardAtRest } from '#engine/vault/vault.ts'
import { arrayOf, bytea, int4, int8, nullable } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const findChargeableConsentsStatement = statement(
  'find_chargeable_consents',
  [arrayOf(int8), arrayOf(int8)],
  { ...consentColumns, ciphertext: bytea, wrapped: nullable(bytea), kek_version: nullable(int4) },
  `select ${consentSelection}, v.ciphertext, k.wrapped, k.kek_version
   from unnest($1::int8[], $2::int8[]) as i (account_id, consent_id)
   join consent c on c.consent_id = i.consent_id and c.account_id = i.account_id
   join account a on a.account_id = c.account_id
   join vault_card v on v.card_id = c.card_id
   left join vault_card_key k on k.card_id = c.card_id`,
)

// A consent with its card as it lies in the vault: null once the card is erased.
export type ChargeableConsent = { readonly consent: Consent; readonly sealedCard: CardAtRest | null }

// One read for many charges, in the order of what was asked.
export async function findChargeableConsents(
  db: Queryable,
  keys: readonly ConsentKey[],
): Promise<readonly (ChargeableConsent | null)[]> {
  const rows = await db.run(findChargeableConsentsStatement, [
    keys.map(({ accountId }) => accountId),
    keys.map(({ consentId }) => consentId),
  ])
  const found = new Map(
    rows.map((row) => {
      const { ciphertext: sealed, wrapped, kek_version: keyVersion } = row
      const consent = consentFromRow(row)
      const { accountId: account, card } = consent
      const sealedCard =
        wrapped && keyVersion !== null
          ? { account, cardId: card.cardId, sealed, wrapped, keyVersion, expiry: card.expiry }
          : null
      return [consent.consentId, { consent, sealedCard }] as const
    }),
  )
  return keys.map(({ accountId, consentId }) => ownedBy(accountId, found.get(consentId)))
}

function ownedBy(
  account: Consent['accountId'],
  found: ChargeableConsent | undefined,
): ChargeableConsent | null {
  return found?.consent.accountId === account ? found : null
}
