import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type pg from 'pg'
import { accountDefaults } from '#engine/merchants/account.ts'
import { createAccount } from '#engine/merchants/create-account.operation.ts'
import { localVault } from '#engine/vault/local-vault.operation.ts'
import { rotateCardKeys } from '#engine/vault/rotate-card-keys.operation.ts'
import { BankAccountNumber } from '#kernel/bank-account-number.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { openKeyRing } from '#platform/crypto/key-ring.ts'
import { randomDigits } from '#platform/crypto/random.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { makeEarlierDatabase, withClient } from '../../../test/support/earlier-database.ts'
import { testClock } from '../../../test/support/test-clock.ts'
import { testConnection } from '../../../test/support/test-cluster.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

// Migration 46 brings each wrapped key into the row of what it opens.

const database = useTestDatabase()
const clock = testClock()
const at = clock.now()

type Row = { readonly wrapped: string | null; readonly kek_version: number | null }

const tables = [
  ['vault_key_version', null],
  ['vault_card', 'card_id'],
  ['vault_bank_account', 'bank_account_id'],
] as const

// What this version keeps, as the version before kept it: its keys in a table of their own.
async function copyAsBefore(from: pg.Client, to: pg.Client): Promise<void> {
  await to.query(`set session_replication_role = replica`)
  for (const [table, id] of tables) {
    const { rows } = await from.query<{ row: Row }>(`select to_jsonb(kept) as row from ${table} kept`)
    for (const { row } of rows) {
      await to.query(
        `insert into ${table} overriding system value select (jsonb_populate_record(null::${table}, $1)).*`,
        [row],
      )
      if (id === null) continue
      const isErased = row.wrapped === null
      await to.query(
        `insert into vault_card_key (card_id, wrapped, kek_version)
         select ($1::jsonb ->> '${id}')::bigint, ($1::jsonb ->> 'wrapped')::bytea,
           ($1::jsonb ->> 'kek_version')::integer`,
        // What somebody has restored by hand is not brought back.
        [isErased ? { ...row, wrapped: '\\x00', kek_version: 1 } : row],
      )
    }
  }
}

test('what was kept with its key in a row of its own is opened, wrapped anew and erased', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-vault-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const keyRing = await openKeyRing(folder, 'sandbox')
  const vault = localVault({ keyRing })
  const { db, connection } = database()
  const wish = { accountCode: `TG${randomDigits(7)}`, settings: accountDefaults }
  const made = await createAccount({ db, clock }, wish)
  const [card, number] = [CardNumber.parse('4111111111111111'), BankAccountNumber.parse('000123456789')]
  assert(made.ok && card && number)
  const { accountId: account } = made.value
  const newCard = { account, number: card, expiry: { month: 1, year: 2030 }, kind: 'credit' } as const
  const facts = { routingNumber: '110000000', type: 'checking', isBusiness: false } as const
  const newAccount = { ...facts, account, number }
  const cards = await db.inTransaction((tx) => vault.storeCards(tx, { cards: [newCard, newCard], at }))
  const kept = await db.inTransaction((tx) =>
    vault.storeBankAccounts(tx, { accounts: [newAccount, newAccount], at }),
  )
  const accounts = kept.map((bankAccountId) => ({ account, bankAccountId }))
  const eraseIn = (where: Database, place: number) =>
    where.inTransaction(async (tx) => [
      ...(await vault.eraseCards(tx, { cards: cards.slice(place, place + 1), at })),
      ...(await vault.eraseBankAccounts(tx, { accounts: accounts.slice(place, place + 1), at })),
    ])
  assert.equal((await eraseIn(db, 1)).length, 2)

  const name = `test_${randomBytes(6).toString('hex')}`
  await makeEarlierDatabase(name, '0046')
  await withClient(connection.database ?? '', (from) => withClient(name, (to) => copyAsBefore(from, to)))
  await migrate(testConnection(name))
  const migrated = openDatabase(testConnection(name), { sizeMax: 2, onIdleError: () => undefined })
  t.after(() => migrated.close())
  const openAll = async () =>
    [...(await vault.openCards(migrated, cards)), ...(await vault.openBankAccounts(migrated, accounts))].map(
      (opening) => (opening?.kind === 'opened' ? opening.number.reveal() : opening),
    )
  assert.deepEqual(await openAll(), [card.reveal(), null, number.reveal(), null])
  const rotated = await rotateCardKeys({ db: migrated, clock, keyRing }, { onProgress: () => undefined })
  assert.deepEqual([rotated.version, rotated.wrapped, rotated.unreadable], [2, 2, []])
  assert.deepEqual(await openAll(), [card.reveal(), null, number.reveal(), null])
  assert.equal((await eraseIn(migrated, 0)).length, 2)
  assert.deepEqual(await openAll(), [null, null, null, null])
})
