import assert from 'node:assert/strict'
import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { inspect } from 'node:util'
import pg from 'pg'
import { accountDefaults } from '#engine/merchants/account.ts'
import { createAccount } from '#engine/merchants/create-account.operation.ts'
import { checkCardKeys } from '#engine/vault/check-card-keys.operation.ts'
import { localVault } from '#engine/vault/local-vault.operation.ts'
import type { CardOpening, CardRef, NewCard, StoredCard, Vault } from '#engine/vault/vault.ts'
import { CardNumber } from '#kernel/card-number.ts'
import type { AccountId } from '#kernel/ids.ts'
import { type KeyRing, openKeyRing } from '#platform/crypto/key-ring.ts'
import { randomDigits } from '#platform/crypto/random.ts'
import { testClock } from '../../../test/support/test-clock.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()
const clock = testClock()
const at = clock.now()
const root = randomBytes(32)
const published = ['4111111111111111', '378282246310005', '30569309025904', '5105105105105100']

let folder = ''
let client: pg.Client
let keyRing: KeyRing
let vault: Vault
let mine: AccountId
let theirs: AccountId

async function makeAccount(): Promise<AccountId> {
  const wish = { accountCode: `TG${randomDigits(7)}`, settings: accountDefaults }
  const made = await createAccount({ db: database().db, clock }, wish)
  assert(made.ok)
  return made.value.accountId
}

function numberOf(digits: string): CardNumber {
  const number = CardNumber.parse(digits)
  assert(number)
  return number
}

function newCard(account: AccountId, digits = '4111111111111111'): NewCard {
  return { account, number: numberOf(digits), expiry: { month: 8, year: 2029 }, kind: 'credit' }
}

function store(...cards: readonly NewCard[]): Promise<readonly StoredCard[]> {
  return database().db.inTransaction((tx) => vault.storeCards(tx, { cards, at }))
}

async function storeOne(account: AccountId, digits?: string): Promise<StoredCard> {
  const [card] = await store(newCard(account, digits))
  assert(card)
  return card
}

async function openOne(card: CardRef, { as = vault } = {}): Promise<CardOpening | null> {
  const [opening] = await as.openCards(database().db, [card])
  assert(opening !== undefined)
  return opening
}

async function assertUnreadable(card: CardRef, reason: RegExp, { as = vault } = {}): Promise<void> {
  const opening = await openOne(card, { as })
  assert.equal(opening?.kind, 'unreadable')
  assert.match(opening.fault.message, reason)
  assert.doesNotMatch(inspect(opening, { depth: 9, showHidden: true }), /411111/)
}

function erase(...cards: readonly CardRef[]) {
  return database().db.inTransaction((tx) => vault.eraseCards(tx, { cards, at }))
}

async function otherRing(t: { after(work: () => unknown): void }, files: Readonly<Record<string, string>>) {
  const other = await mkdtemp(join(tmpdir(), 'tillgate-vault-'))
  t.after(() => rm(other, { recursive: true, force: true }))
  for (const [from, to] of Object.entries(files)) await copyFile(join(folder, from), join(other, to))
  return openKeyRing(other, 'sandbox')
}

const swaps: readonly (readonly [string, string])[] = [
  ['the numbers of two cards', 'update vault_card a set ciphertext = b.ciphertext from vault_card b'],
  ['the keys of two cards', 'update vault_card a set wrapped = b.wrapped from vault_card b'],
]
describe('the vault', () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillgate-vault-'))
    const stored = { format: 1, mode: 'sandbox', root: root.toString('hex') }
    await writeFile(join(folder, 'key-ring.json'), JSON.stringify(stored))
    keyRing = await openKeyRing(folder, 'sandbox')
    vault = localVault({ keyRing })
    client = new pg.Client(database().connection)
    await client.connect()
    ;[mine, theirs] = [await makeAccount(), await makeAccount()]
  })
  after(async () => {
    await client.end()
    await rm(folder, { recursive: true, force: true })
  })

  test('cards come back as they were stored, in the order of what was asked', async () => {
    const { db } = database()
    const stored = await store(...published.map((digits) => newCard(mine, digits)))
    const asked = [...stored, ...stored].toReversed()
    const openings = await vault.openCards(db, asked)
    const numbers = openings.map((opening) => opening?.kind === 'opened' && opening.number.reveal())
    assert.deepEqual(numbers, [...published, ...published].toReversed())
    const [visa, amex] = await vault.describeCards(db, stored)
    assert.deepEqual(visa, stored[0])
    const { account, cardId } = stored[1] ?? assert.fail()
    const shown = { firstSix: '378282', lastFour: '0005', numberLength: 15, brand: 'AE', kind: 'credit' }
    assert.deepEqual(amex, { account, cardId, ...shown, expiry: { month: 8, year: 2029 }, isErased: false })
  })

  test('a card that is stored in a transaction which fails does not exist', async () => {
    const { db } = database()
    let card: StoredCard | undefined
    const work = db.inTransaction(async (tx) => {
      ;[card] = await vault.storeCards(tx, { cards: [newCard(mine)], at })
      throw new Error('changed my mind')
    })
    await assert.rejects(work, /changed my mind/)
    assert(card)
    assert.equal(await openOne(card), null)
  })

  test('nothing of a card crosses from one account to another', async () => {
    const { db } = database()
    const card = await storeOne(mine)
    const stolen = { account: theirs, cardId: card.cardId }
    const [own, crossed] = await vault.openCards(db, [card, stolen])
    assert.deepEqual([own?.kind, crossed], ['opened', null])
    assert.deepEqual(await vault.describeCards(db, [stolen, card]), [null, card])
    assert.equal(await vault.changeExpiry(db, { ...stolen, expiry: { month: 1, year: 2031 } }), false)
    assert.deepEqual(await erase(stolen), [])
    assert.equal((await openOne(card))?.kind, 'opened')
  })

  test('a new expiry is used from then on', async () => {
    const card = await storeOne(mine)
    const expiry = { month: 12, year: 2031 }
    assert.equal(await vault.changeExpiry(database().db, { ...card, expiry }), true)
    const opening = await openOne(card)
    assert(opening?.kind === 'opened')
    assert.deepEqual(opening.expiry, expiry)
  })

  for (const [what, update] of swaps) {
    for (const whose of ['of one account', 'of two accounts']) {
      test(`swapping ${what} ${whose} opens neither`, async () => {
        const other = await storeOne(whose === 'of one account' ? mine : theirs, '5105105105105100')
        const card = await storeOne(mine)
        await client.query(
          `${update} where a.card_id = any($1) and b.card_id = any($1) and a.card_id <> b.card_id`,
          [[card.cardId, other.cardId].map(String)],
        )
        await assertUnreadable(card, /changed, moved or sealed with another key/)
        await assertUnreadable(other, /changed, moved or sealed with another key/)
      })
    }
  }

  test('moving number and key together to another card or another account opens nothing', async () => {
    const [card, target] = [await storeOne(mine), await storeOne(mine)]
    const ids = [String(card.cardId), String(target.cardId)]
    await client.query(
      `update vault_card a set ciphertext = b.ciphertext, wrapped = b.wrapped from vault_card b
       where b.card_id = $1 and a.card_id = $2`,
      ids,
    )
    await assertUnreadable(target, /changed, moved/)
    await client.query('update vault_card set account_id = $2 where card_id = $1', [ids[0], String(theirs)])
    await assertUnreadable({ ...card, account: theirs }, /changed, moved/)
  })

  test('a key does not open under another version, in its row or in its record', async () => {
    await keyRing.cardKeys.make(2)
    const card = await storeOne(mine)
    const id = String(card.cardId)
    await client.query('update vault_card set kek_version = 2 where card_id = $1', [id])
    await assertUnreadable(card, /changed, moved/)
    await client.query(`update vault_card set wrapped = set_byte(wrapped, 5, 2) where card_id = $1`, [id])
    await assertUnreadable(card, /changed, moved/)
  })

  for (const column of ['ciphertext', 'wrapped']) {
    test(`a card with any bit of its ${column} turned cannot be opened`, async () => {
      const card = await storeOne(mine)
      const id = String(card.cardId)
      const { rows } = await client.query<{ bits: number }>(
        `select length(${column}) * 8 as bits from vault_card where card_id = $1`,
        [id],
      )
      const turn = `update vault_card set ${column} = set_bit(${column}, $2, 1 - get_bit(${column}, $2))
        where card_id = $1`
      for (let bit = 0; bit < (rows[0]?.bits ?? 0); bit += 1) {
        await client.query(turn, [id, bit])
        await assertUnreadable(card, /changed, moved/)
        await client.query(turn, [id, bit])
      }
      assert.equal((await openOne(card))?.kind, 'opened')
    })
  }

  test('one unreadable card fails no other of its batch', async () => {
    const [bad, good] = [await storeOne(mine), await storeOne(theirs)]
    await client.query(`update vault_card set ciphertext = 'x' where card_id = $1`, [String(bad.cardId)])
    const openings = await vault.openCards(database().db, [bad, good])
    assert.deepEqual(
      openings.map((opening) => opening?.kind),
      ['unreadable', 'opened'],
    )
  })

  test('a node that has lost a version names it, stores nothing and is refused at its start', async (t) => {
    const { db } = database()
    const card = await storeOne(mine)
    await keyRing.cardKeys.make(2)
    const kept = { 'key-ring.json': 'key-ring.json', 'card-key-000002.json': 'card-key-000002.json' }
    const poorer = await otherRing(t, kept)
    const as = localVault({ keyRing: poorer })
    const message = /card-key-000001\.json is missing\. Restore it from your backup/
    await assertUnreadable(card, message, { as })
    const storing = db.inTransaction((tx) => as.storeCards(tx, { cards: [newCard(mine)], at }))
    await assert.rejects(storing, message)
    const checked = await checkCardKeys({ db, clock, keyRing: poorer })
    assert.match(checked.ok ? '' : String(checked.refusal.details['problem']), message)
    assert.equal((await checkCardKeys({ db, clock, keyRing })).ok, true)
  })

  test('another key under the name of a version stores nothing and is refused at the start', async (t) => {
    const { db } = database()
    const card = await storeOne(mine)
    const stranger = await otherRing(t, { 'key-ring.json': 'key-ring.json' })
    const as = localVault({ keyRing: stranger })
    const message = /version 1 in KEYS_DIR is not the one that this database was used with/
    await assertUnreadable(card, /sealed with another key/, { as })
    const storing = db.inTransaction((tx) => as.storeCards(tx, { cards: [newCard(mine)], at }))
    await assert.rejects(storing, message)
    const checked = await checkCardKeys({ db, clock, keyRing: stranger })
    assert.match(checked.ok ? '' : String(checked.refusal.details['problem']), message)
  })

  test('the card key of another installation opens nothing here', async (t) => {
    const card = await storeOne(mine)
    const foreign = await otherRing(t, { 'card-key-000001.json': 'card-key-000001.json' })
    assert.equal(foreign.cardKeys.find(1)?.id, keyRing.cardKeys.find(1)?.id)
    await assertUnreadable(card, /changed, moved/, { as: localVault({ keyRing: foreign }) })
  })

  test('fingerprints are equal within an account, different across accounts, and keyed', async () => {
    const cards = await store(newCard(mine), newCard(mine), newCard(mine, published[1]), newCard(theirs))
    const { rows } = await client.query<{ fingerprint: Buffer }>(
      'select fingerprint from vault_fingerprint where card_id = any($1) order by card_id',
      [cards.map(({ cardId }) => String(cardId))],
    )
    const [one, same, other, elsewhere] = rows.map(({ fingerprint }) => fingerprint.toString('hex'))
    assert.equal(one, same)
    assert.equal(new Set([one, other, elsewhere]).size, 3)
    const key = Buffer.from(hkdfSync('sha256', root, 'tillgate', 'card-fingerprint', 32))
    assert.equal(one, createHmac('sha256', key).update(`${mine}:4111111111111111`).digest('hex'))
  })

  test('nothing in a stored card, or in what is given out for it, shows its number', async () => {
    const card = await storeOne(mine)
    const opening = await openOne(card)
    assert.doesNotMatch(inspect([card, opening], { depth: 9, showHidden: true }), /4111111111/)
    const text = await readFile(join(folder, 'card-key-000001.json'), 'utf8')
    const { key } = JSON.parse(text) as { key: string }
    assert.ok(!inspect([vault, keyRing], { depth: 9, showHidden: true }).includes(key))
  })
})
