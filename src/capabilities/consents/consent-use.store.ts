import type { ConsentState } from '#capabilities/consents/consent.ts'
import type { ConsentUse, Limits } from '#capabilities/consents/consent-limits.ts'
import type { Currency } from '#kernel/currency.ts'
import type { AccountId } from '#kernel/ids.ts'
import { arrayOf, bool, date, int8, text } from '#platform/postgres/column-type.ts'
import { columnsOf } from '#platform/postgres/columns.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

// Waits for whoever changes the consent right now and then judges by what that has left.
const takeUseText = `update consent c set used_minor = c.used_minor + i.minor
   from (
     select unnest($1::int8[]) as account_id, unnest($2::int8[]) as consent_id, unnest($3::int8[]) as minor,
       unnest($4::date[]) as on_date
   ) as i
   where c.consent_id = i.consent_id and c.account_id = i.account_id and c.state = 'active'
     and i.minor <= c.limit_per_charge_minor and c.used_minor + i.minor <= c.limit_lifetime_minor
     and i.on_date between c.starts_on and c.ends_on
   returning c.consent_id`

const takeConsentUseStatement = statement(
  'take_consent_use',
  [arrayOf(int8), arrayOf(int8), arrayOf(int8), arrayOf(date)],
  { consent_id: int8 },
  takeUseText,
)

const takeAllConsentUseStatement = statement(
  'take_all_consent_use',
  [arrayOf(int8), arrayOf(int8), arrayOf(int8), arrayOf(date)],
  { insisted: bool },
  `with taken as (${takeUseText})
   select insist('consents_give', count(*) = cardinality($1::int8[])) as insisted from taken`,
)

const lockConsentsStatement = statement(
  'lock_consents_of_charges',
  [arrayOf(int8), arrayOf(int8)],
  { consent_id: int8 },
  `select c.consent_id
   from unnest($1::int8[], $2::int8[]) as i (account_id, consent_id)
   join consent c on c.consent_id = i.consent_id and c.account_id = i.account_id
   for no key update of c`,
)

const limitColumns = {
  consent_id: int8,
  state: text,
  starts_on: date,
  ends_on: date,
  currency: text,
  limit_per_charge_minor: int8,
  limit_lifetime_minor: int8,
  used_minor: int8,
} as const

const readLimitsStatement = statement(
  'read_consent_limits',
  [arrayOf(int8), arrayOf(int8)],
  limitColumns,
  `select c.consent_id, c.state, c.starts_on, c.ends_on, c.currency, c.limit_per_charge_minor,
     c.limit_lifetime_minor, c.used_minor
   from consent c
   join unnest($1::int8[], $2::int8[]) as i (account_id, consent_id)
     on i.consent_id = c.consent_id and i.account_id = c.account_id`,
)

const giveBackConsentUseStatement = statement(
  'give_back_consent_use',
  [arrayOf(int8), arrayOf(int8), arrayOf(int8)],
  {},
  `update consent c set used_minor = c.used_minor - i.minor
   from unnest($1::int8[], $2::int8[], $3::int8[]) as i (account_id, consent_id, minor)
   where c.consent_id = i.consent_id and c.account_id = i.account_id`,
)

export type OwnedUse = ConsentUse & { readonly account: AccountId }

const columnsOfUses = columnsOf<OwnedUse>()(
  ({ account }) => account,
  ({ consent }) => consent,
  ({ minor }) => minor,
  ({ on }) => on,
)

// In the order in which they are given.
export async function lockConsents(
  tx: Tx,
  uses: readonly Pick<OwnedUse, 'account' | 'consent'>[],
): Promise<void> {
  await tx.run(lockConsentsStatement, [
    uses.map(({ account }) => account),
    uses.map(({ consent }) => consent),
  ])
}

// Takes what fits and locks the consents of that. Answers those.
export async function takeUse(tx: Tx, uses: readonly OwnedUse[]): Promise<ReadonlySet<bigint>> {
  const rows = await tx.run(takeConsentUseStatement, columnsOfUses(uses))
  const taken = new Set<bigint>()
  for (const row of rows) taken.add(row.consent_id)
  return taken
}

// The same where everything is believed to fit. Where something does not, the transaction fails (isUnmet).
export async function takeAllUse(tx: Tx, uses: readonly OwnedUse[]): Promise<void> {
  await tx.run(takeAllConsentUseStatement, columnsOfUses(uses))
}

export async function readLimits(tx: Tx, uses: readonly OwnedUse[]): Promise<ReadonlyMap<bigint, Limits>> {
  const rows = await tx.run(readLimitsStatement, [
    uses.map(({ account }) => account),
    uses.map(({ consent }) => consent),
  ])
  return new Map(rows.map((row) => [row.consent_id, limitsFromRow(row)]))
}

function limitsFromRow(row: RowOf<typeof limitColumns>): Limits {
  const currency = row.currency as Currency
  return {
    state: row.state as ConsentState,
    startsOn: row.starts_on,
    endsOn: row.ends_on,
    currency,
    limitPerCharge: { minor: row.limit_per_charge_minor, currency },
    limitLifetime: { minor: row.limit_lifetime_minor, currency },
    used: { minor: row.used_minor, currency },
  }
}

export async function giveBackUse(tx: Tx, uses: readonly Omit<OwnedUse, 'on'>[]): Promise<void> {
  await tx.run(giveBackConsentUseStatement, [
    uses.map(({ account }) => account),
    uses.map(({ consent }) => consent),
    uses.map(({ minor }) => minor),
  ])
}
