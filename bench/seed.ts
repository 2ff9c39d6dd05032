import { hash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type pg from 'pg'
import { localVault } from '#engine/vault/local-vault.operation.ts'
import type { NewCard } from '#engine/vault/vault.ts'
import { assert } from '#kernel/assert.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { type AccountId, accountId } from '#kernel/ids.ts'
import { systemClock } from '#platform/clock.ts'
import { type KeyRing, openKeyRing } from '#platform/crypto/key-ring.ts'
import { arrayOf, date, int4, int8, timestamptz } from '#platform/postgres/column-type.ts'
import type { Database } from '#platform/postgres/database.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { statement } from '#platform/postgres/statement.ts'
import type { Cluster } from './cluster.ts'

// What a gateway has after years: merchants with fees, consents with cards in the vault, people signed in.
// Rows are inserted in bulk, past the gateway; cards are sealed by the gateway's own vault.

export type Seeded = {
  // Consents 1 to so many may be charged at random; the one after them is the hot one.
  readonly consents: number
  readonly hotConsent: number
  // The session of the account that owns consent n is number n modulo the count.
  readonly sessionKeys: readonly string[]
  // The fee of every merchant record, which every charge asks for.
  readonly feeMinor: number
}

const accounts = 100
const merchantsEach = 10
const feeMinor = 30
const cardsPerBatch = 1_000
const seededTables = [
  'account, merchant, api_user, api_token, session',
  'consent, vault_card, vault_fingerprint',
]
// Published test numbers that every issuer of the sandbox approves.
const numbers = ['4111111111111111', '5555555555554444']

const insertConsentsStatement = statement(
  'bench_insert_consents',
  [arrayOf(int8), arrayOf(int8), arrayOf(int8), arrayOf(int4), timestamptz, date],
  {},
  `insert into consent (consent_id, account_id, merchant_number, kind, state, card_id, currency,
     limit_per_charge_minor, limit_lifetime_minor, starts_on, ends_on, days, customer_ref, service, guid,
     holder_first_name, holder_last_name, customer_first_name, customer_last_name, company, email, phone,
     street, zip, network_id, creation_ref, created_by_user, agreed_at, agreed_from, created_at, changed_at)
   overriding system value
   select consent_id, i.account_id, i.merchant_number, 'A', 'active', card_id, 'USD', 1000000, 1000000000,
     $6::date - 30, $6::date + 300, 330, 'C' || consent_id, 'Books', '', 'Alex', 'Reader' || consent_id % 997,
     'Alex', 'Reader', '', 'alex@example.com', '', '2 Oak Street', '62701', 'NBENCH', 'bench-' || consent_id,
     u.api_user_id, $5, '192.0.2.10', $5, $5
   from unnest($1::int8[], $2::int8[], $3::int8[], $4::int4[])
     as i (consent_id, account_id, card_id, merchant_number)
   join api_user u on u.account_id = i.account_id`,
)

// What is seeded refers to what was seeded before. To look it all up would take a quarter of the time.
const trustReferencesStatement = statement(
  'bench_trust_references',
  [],
  {},
  `set local session_replication_role = replica`,
)

type Place = { readonly cluster: Cluster; readonly database: string; readonly keysFolder: string }

export async function seedGateway(
  { cluster, database, keysFolder }: Place,
  consents: number,
): Promise<Seeded> {
  await cluster.withClient('postgres', (client) => client.query(`create database ${database}`))
  await migrate(cluster.connectionTo(database))
  mkdirSync(keysFolder, { recursive: true, mode: 0o700 })
  const keyRing = await openKeyRing(keysFolder, 'sandbox')
  const sessionKeys = Array.from({ length: accounts }, (_, at) => hash('sha256', `${keyRing.id} ${at}`))
  const ids = await cluster.withClient(database, (client) => seedAccounts(client, sessionKeys))
  const db = cluster.openDatabase(database)
  try {
    await seedConsents({ db, keyRing }, ids, consents + 1)
  } finally {
    await db.close()
  }
  await cluster.withClient(database, async (client) => {
    await client.query(`select setval('consent_consent_id_seq', $1)`, [consents + 1])
    // Not those that are empty: it would take them for empty while they are filled.
    await client.query(`vacuum analyze ${seededTables.join(', ')}`)
  })
  return { consents, hotConsent: consents + 1, sessionKeys, feeMinor }
}

async function seedAccounts(
  client: pg.Client,
  sessionKeys: readonly string[],
): Promise<readonly AccountId[]> {
  const at = systemClock.now().toString()
  const { rows } = await client.query<{ id: string }>(
    `insert into account (account_code, description, last_merchant_number, created_at, changed_at)
     select 'BN' || lpad(n::text, 7, '0'), 'Benchmark ' || n, $2, $3, $3 from generate_series(1, $1::int) n
     returning account_id::text as id`,
    [sessionKeys.length, merchantsEach, at],
  )
  await client.query(
    `insert into merchant (account_id, merchant_number, name, location, address, terminal_id, time_zone,
       currency, region, fee_kind, fee_fixed_minor, created_at, changed_at)
     select account_id, n, 'Merchant ' || n, 'Main Street', '1 Main Street', 'T' || account_id || '-' || n,
       'America/New_York', 'USD', 'IL', 'convenience', $2::int, $3, $3
     from account, generate_series(1, $1::int) n`,
    [merchantsEach, feeMinor, at],
  )
  await client.query(
    `insert into api_user (account_id, alias, created_by, created_at)
     select account_id, 'bench', 'bench', $1 from account`,
    [at],
  )
  await client.query(
    `insert into api_token (api_user_id, digest, description, created_by, created_at, expires_at, changed_at)
     select api_user_id, sha256(account_id::text::bytea), 'Benchmark', 'bench', $1::timestamptz,
       $1::timestamptz + interval '1 year', $1 from api_user`,
    [at],
  )
  const ids = rows.map(({ id }) => accountId(BigInt(id)))
  await client.query(
    `insert into session (digest, token_id, address, created_at, expires_at)
     select i.digest, t.token_id, '127.0.0.1', $3::timestamptz, $3::timestamptz + interval '25 hours'
     from unnest($1::bytea[], $2::int8[]) as i (digest, account_id)
       join api_user using (account_id) join api_token t using (api_user_id)`,
    [sessionKeys.map((key) => hash('sha256', key, 'buffer')), ids.map(String), at],
  )
  return ids
}

type Needs = { readonly db: Database; readonly keyRing: KeyRing }

async function seedConsents(needs: Needs, ids: readonly AccountId[], count: number): Promise<void> {
  const starts = Array.from({ length: Math.ceil(count / cardsPerBatch) }, (_, at) => 1 + at * cardsPerBatch)
  const seed = (from: number): Promise<void> =>
    seedBatch(needs, ids, { from, to: Math.min(count + 1, from + cardsPerBatch) })
  const [first = 1, ...rest] = starts
  // Alone, because it registers the key that all cards are sealed under.
  await seed(first)
  const left = rest.values()
  const work = async (): Promise<void> => {
    for (const from of left) await seed(from)
  }
  // While PostgreSQL writes one batch, the next is sealed.
  await Promise.all([work(), work()])
}

type Range = { readonly from: number; readonly to: number }

async function seedBatch({ db, keyRing }: Needs, ids: readonly AccountId[], range: Range): Promise<void> {
  const at = systemClock.now()
  const consents = Array.from({ length: range.to - range.from }, (_, place) => range.from + place)
  const cards = consents.map((consent) => cardOf(ids, consent))
  await db.inTransaction(async (tx) => {
    await tx.run(trustReferencesStatement, [])
    const stored = await localVault({ keyRing }).storeCards(tx, { cards, at })
    await tx.run(insertConsentsStatement, [
      consents.map(BigInt),
      cards.map(({ account }) => account),
      stored.map(({ cardId }) => cardId),
      consents.map((consent) => 1 + (Math.floor(consent / accounts) % merchantsEach)),
      at,
      at.toZonedDateTimeISO('UTC').toPlainDate(),
    ])
  })
}

function cardOf(ids: readonly AccountId[], consent: number): NewCard {
  const number = CardNumber.parse(numbers[consent % numbers.length] ?? '')
  const account = ids[consent % accounts]
  assert(number && account !== undefined, 'the seed has cards and accounts')
  const expiry = { month: 12, year: systemClock.now().toZonedDateTimeISO('UTC').year + 3 }
  return { account, number, expiry, kind: 'credit' }
}
