import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { accountDefaults } from '#engine/merchants/account.ts'
import { createAccount } from '#engine/merchants/create-account.operation.ts'
import { localVault } from '#engine/vault/local-vault.operation.ts'
import { rotateCardKeys } from '#engine/vault/rotate-card-keys.operation.ts'
import { BankAccountNumber } from '#kernel/bank-account-number.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { openKeyRing } from '#platform/crypto/key-ring.ts'
import { randomDigits } from '#platform/crypto/random.ts'
import { dumpTables, formsOf, logPosition, logSince } from '../../../test/support/leaks.ts'
import { testClock } from '../../../test/support/test-clock.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const published = `4111111111111111 4242424242424242 5555555555554444 2223003122003222 378282246310005
  6011111111111117 3530111333300000 30569309025904 4000056655665556 5200828282828210 5105105105105100
  4000000000000002 4000000000009995 4000000000009987 4000000000009979 4000000000000069 4000000000000127
  4000000000000119 4000000000000341 4000000000000010 4000000000003220 4000008400001629`.split(/\s+/)

const bankAccounts = ['1234567890123451', '000123456789']

const database = useTestDatabase()
const clock = testClock()
let folder = ''
let client: pg.Client

function findNumbers(bytes: Buffer): readonly string[] {
  return [...published, ...bankAccounts].filter((digits) =>
    formsOf(digits).some((form) => bytes.includes(form)),
  )
}

async function storePublishedNumbers(): Promise<number> {
  const { db } = database()
  const keyRing = await openKeyRing(folder, 'sandbox')
  const vault = localVault({ keyRing })
  const wish = { accountCode: `TG${randomDigits(7)}`, settings: accountDefaults }
  const made = await createAccount({ db, clock }, wish)
  assert(made.ok)
  const { accountId: account } = made.value
  const cards = published.flatMap((digits) => {
    const number = CardNumber.parse(digits)
    return number ? [{ account, number, expiry: { month: 1, year: 2030 }, kind: 'credit' as const }] : []
  })
  const at = clock.now()
  const stored = await db.inTransaction((tx) => vault.storeCards(tx, { cards, at }))
  const accounts = bankAccounts.flatMap((digits) => {
    const number = BankAccountNumber.parse(digits)
    return number
      ? [{ account, number, routingNumber: '110000000', type: 'checking' as const, isBusiness: false }]
      : []
  })
  const kept = await db.inTransaction((tx) => vault.storeBankAccounts(tx, { accounts, at }))
  const refs = kept.map((bankAccountId) => ({ account, bankAccountId }))
  assert.deepEqual(
    (await vault.openBankAccounts(db, refs)).map((opening) => opening?.kind),
    ['opened', 'opened'],
  )
  await vault.openCards(db, stored)
  await rotateCardKeys({ db, clock, keyRing }, { onProgress: () => undefined })
  await db.inTransaction((tx) => vault.eraseCards(tx, { cards: stored.slice(0, 5), at }))
  return stored.length
}

describe('a scan for leaked card numbers', () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillgate-leaks-'))
    client = new pg.Client(database().connection)
    await client.connect()
  })
  after(async () => {
    await client.end()
    await rm(folder, { recursive: true, force: true })
  })

  test('finds none in any table or in the log of the database once cards were stored', async (t) => {
    const start = await logPosition(client)
    assert.equal(await storePublishedNumbers(), published.length)
    assert.deepEqual(findNumbers(await dumpTables(client)), [])
    const log = await logSince(client, start)
    if (log === null) return t.diagnostic('the log of the database cannot be read here')
    assert.ok(log.length > 0)
    assert.deepEqual(findNumbers(log), [])
  })

  test('finds a number that is written there in any form', async () => {
    await client.query('create table leak (line bytea)')
    for (const form of formsOf('4242424242424242')) {
      await client.query('begin')
      const start = await logPosition(client)
      // Twice, because every 8 KB the log puts the head of a page into the middle of whatever is written.
      await client.query('insert into leak (line) values ($1), ($1)', [form])
      const log = (await logSince(client, start)) ?? form
      await client.query('rollback')
      assert.ok(findNumbers(log).includes('4242424242424242'), form.toString('latin1'))
    }
    await client.query(`insert into leak (line) values ('4242424242424242'), ('\\x4111111111111111')`)
    assert.deepEqual(findNumbers(await dumpTables(client)), ['4111111111111111', '4242424242424242'])
    await client.query('drop table leak')
  })
})
