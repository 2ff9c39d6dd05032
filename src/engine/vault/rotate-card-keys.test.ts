import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { accountDefaults } from '#engine/merchants/account.ts'
import { createAccount } from '#engine/merchants/create-account.operation.ts'
import { listCardKeys } from '#engine/vault/check-card-keys.operation.ts'
import { localVault } from '#engine/vault/local-vault.operation.ts'
import { retireCardKey, rotateCardKeys } from '#engine/vault/rotate-card-keys.operation.ts'
import { hasVaultRemains, vacuumVault } from '#engine/vault/vacuum-vault.operation.ts'
import type { CardRef, StoredCard } from '#engine/vault/vault.ts'
import { CardNumber } from '#kernel/card-number.ts'
import type { AccountId } from '#kernel/ids.ts'
import { openKeyRing } from '#platform/crypto/key-ring.ts'
import { randomDigits } from '#platform/crypto/random.ts'
import { text } from '#platform/postgres/column-type.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import { testClock } from '../../../test/support/test-clock.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()
const clock = testClock()
const at = clock.now()
const digits = '4242424242424242'

let folder = ''
let client: pg.Client
let account: AccountId

// A node with a view of its own of the keys that all share.
async function newNode() {
  const keyRing = await openKeyRing(folder, 'sandbox')
  return { db: database().db, clock, keyRing, vault: localVault({ keyRing }) }
}
type Node = Awaited<ReturnType<typeof newNode>>

function store({ db, vault }: Node, count: number): Promise<readonly StoredCard[]> {
  const number = CardNumber.parse(digits)
  assert(number)
  const card = { account, number, expiry: { month: 8, year: 2029 }, kind: 'credit' } as const
  const cards = Array.from({ length: count }, () => card)
  return db.inTransaction((tx) => vault.storeCards(tx, { cards, at }))
}

function erase({ db, vault }: Node, cards: readonly CardRef[]) {
  return db.inTransaction((tx) => vault.eraseCards(tx, { cards, at }))
}

async function assertAllOpen({ db, vault }: Node, cards: readonly CardRef[]): Promise<void> {
  for (const opening of await vault.openCards(db, cards)) {
    if (opening?.kind === 'unreadable') throw opening.fault
    assert.equal(opening?.number.reveal(), digits)
  }
}

async function versionsInUse(): Promise<readonly number[]> {
  const { rows } = await client.query<{ version: number }>(
    'select distinct kek_version as version from vault_card where wrapped is not null order by 1',
  )
  return rows.map(({ version }) => version)
}

async function currentVersion(node: Node): Promise<number> {
  return (await listCardKeys(node)).find(({ state }) => state === 'current')?.version ?? 0
}

// Otherwise they are up to some seconds behind.
const tellStatistics = statement(
  'test_tell_statistics',
  [],
  { told: text },
  'select pg_stat_force_next_flush()::text as told',
)

const silently = { onProgress: () => undefined }

// Gives up after some batches, as an operator does who presses Ctrl-C.
async function rotateAndGiveUp(node: Node, batches: number): Promise<void> {
  let done = 0
  const onProgress = (): void => {
    done += 1
    if (done === batches) throw new Error('interrupted')
  }
  await assert.rejects(rotateCardKeys(node, { onProgress, batchSize: 10 }), /interrupted/)
}

const fileOf = (version: number) => `card-key-${String(version).padStart(6, '0')}.json`

// Rows as in a backup: what a card had before it was erased.
function backup(cardId: bigint) {
  return client.query<{ ciphertext: Buffer; wrapped: Buffer; kek_version: number }>(
    `select ciphertext, wrapped, kek_version from vault_card where card_id = $1`,
    [String(cardId)],
  )
}

describe('rotating the card key', () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillgate-rotation-'))
    client = new pg.Client(database().connection)
    await client.connect()
    const wish = { accountCode: `TG${randomDigits(7)}`, settings: accountDefaults }
    const made = await createAccount({ db: database().db, clock }, wish)
    assert(made.ok)
    account = made.value.accountId
  })
  after(async () => {
    await client.end()
    await rm(folder, { recursive: true, force: true })
  })

  test('an interrupted rotation is resumed under the same version and says how far it is', async () => {
    const node = await newNode()
    const cards = await store(node, 45)
    const first = await currentVersion(node)
    await rotateAndGiveUp(node, 2)
    assert.deepEqual(await versionsInUse(), [first, first + 1])
    await assertAllOpen(await newNode(), cards)
    const told: number[] = []
    const onProgress = ({ wrapped }: { wrapped: number }) => told.push(wrapped)
    const rotation = await rotateCardKeys(node, { onProgress, batchSize: 10 })
    assert.deepEqual(rotation, { version: first + 1, isResumed: true, wrapped: 25, unreadable: [] })
    assert.deepEqual(told, [10, 20, 25])
    assert.deepEqual(await versionsInUse(), [first + 1])
    await assertAllOpen(node, cards)
  })

  test('cards are stored, opened and erased on another node throughout, and none is lost', async () => {
    const [operator, colleague, gateway] = [await newNode(), await newNode(), await newNode()]
    const shared = await store(gateway, 200)
    const start = await currentVersion(operator)
    const kept: CardRef[] = [...shared]
    const over = new AbortController()
    const work = async (worker: number): Promise<number> => {
      let rounds = 0
      for (; !over.signal.aborted; rounds += 1) {
        const [first, ...others] = await store(gateway, 3)
        assert(first)
        kept.push(...others)
        assert.equal((await erase(gateway, [first])).length, 1)
        const from = (rounds * 17 + worker * 50) % 180
        await assertAllOpen(gateway, [...others, ...shared.slice(from, from + 20)])
      }
      return rounds
    }
    const workers = [0, 1, 2, 3].map(work)
    for (const batches of [1, 5, 9]) {
      await rotateAndGiveUp(operator, batches)
      const options = { ...silently, batchSize: 10 }
      await Promise.all([rotateCardKeys(operator, options), rotateCardKeys(colleague, options)])
    }
    over.abort()
    const rounds = await Promise.all(workers)
    assert.ok(rounds.every((count) => count > 0))
    const current = await currentVersion(operator)
    assert.ok(current >= start + 3)
    assert.deepEqual(await versionsInUse(), [current])
    await assertAllOpen(await newNode(), kept)
  })

  test('a card that nobody can open is named and left, and does not stop the others', async () => {
    const node = await newNode()
    const [bad, ...good] = await store(node, 5)
    assert(bad)
    const id = String(bad.cardId)
    await client.query(`update vault_card set wrapped = 'x' where card_id = $1`, [id])
    const { unreadable } = await rotateCardKeys(node, silently)
    assert.deepEqual(unreadable, [bad.cardId])
    await assertAllOpen(node, good)
    await erase(node, [bad])
  })

  test('a row that somebody holds is wrapped once it is free', async () => {
    const node = await newNode()
    const [held] = await store(node, 3)
    assert(held)
    await client.query('begin')
    await client.query('select from vault_card where card_id = $1 for update', [String(held.cardId)])
    let rounds = 0
    const releases: Promise<unknown>[] = []
    const onProgress = (): void => {
      rounds += 1
      if (rounds === 1) releases.push(client.query('commit'))
    }
    const { version } = await rotateCardKeys(node, { onProgress, batchSize: 100_000 })
    await Promise.all(releases)
    assert.ok(rounds > 1)
    assert.deepEqual(await versionsInUse(), [version])
  })

  test('a version is retired only when no card uses it, and its file goes', async () => {
    const node = await newNode()
    const cards = await store(node, 15)
    const old = await currentVersion(node)
    const kindOf = async (version: number) => {
      const retired = await retireCardKey(node, version)
      return retired.ok ? 'retired' : retired.refusal.kind
    }
    assert.equal(await kindOf(old), 'key_is_current')
    await rotateAndGiveUp(node, 1)
    assert.equal(await kindOf(old), 'key_in_use')
    assert.equal(await kindOf(old + 2), 'key_not_found')
    await rotateCardKeys(node, silently)
    assert.deepEqual([await kindOf(old), await kindOf(old)], ['retired', 'key_not_found'])
    const files = await readdir(folder)
    assert.deepEqual([files.includes(fileOf(old)), files.includes(fileOf(old + 1))], [false, true])
    await assertAllOpen(await newNode(), cards)
  })

  test('an erased card is gone for good: no key, no number, no fingerprint', async () => {
    const node = await newNode()
    const [card, other] = await store(node, 2)
    assert(card && other)
    const [saved] = (await backup(card.cardId)).rows
    assert(saved)
    assert.deepEqual(await erase(node, [card]), [card.cardId])
    assert.deepEqual(await erase(node, [card]), [])
    assert.deepEqual(await node.vault.openCards(node.db, [card]), [null])
    assert.equal(await node.vault.changeExpiry(node.db, card), false)
    assert.deepEqual(await node.vault.describeCards(node.db, [card]), [{ ...card, isErased: true }])
    const { rows } = await client.query<{ line: string }>(
      `select card::text as line from vault_card card
       union all select fingerprint::text from vault_fingerprint fingerprint where card_id = $1`,
      [String(card.cardId)],
    )
    const dump = rows.map(({ line }) => line).join('\n')
    for (const bytes of [saved.wrapped, saved.ciphertext]) assert.ok(!dump.includes(bytes.toString('hex')))
    assert.ok(dump.includes((await backup(other.cardId)).rows[0]?.wrapped.toString('hex') ?? 'nothing'))
    await assertAllOpen(node, [other])
  })

  test('an erased card is not even opened from a backup once its key version is retired', async () => {
    const node = await newNode()
    const [card] = await store(node, 1)
    assert(card)
    const [saved] = (await backup(card.cardId)).rows
    assert(saved)
    await erase(node, [card])
    await rotateCardKeys(node, silently)
    assert.ok((await retireCardKey(node, saved.kek_version)).ok)
    const id = String(card.cardId)
    await client.query(
      `update vault_card set ciphertext = $2, wrapped = $3, kek_version = $4, erased_at = null
       where card_id = $1`,
      [id, saved.ciphertext, saved.wrapped, saved.kek_version],
    )
    for (const version of [saved.kek_version, await currentVersion(node)]) {
      await client.query('update vault_card set kek_version = $2 where card_id = $1', [id, version])
      const [opening] = await (await newNode()).vault.openCards(node.db, [card])
      assert.equal(opening?.kind, 'unreadable')
    }
    await erase(node, [card])
  })

  test('vacuuming leaves no dead row of the vault behind', async (t) => {
    const { connection } = database()
    const db = openDatabase(connection, { sizeMax: 1, onIdleError: () => undefined })
    t.after(() => db.close())
    const node = { ...(await newNode()), db }
    await erase(node, await store(node, 50))
    await db.run(tellStatistics, [])
    assert.equal(await hasVaultRemains(node), true)
    // What earlier tests have left behind on other connections is told in the server's own time.
    do await vacuumVault({ connection })
    while (await hasVaultRemains(node))
  })
})
