import assert from 'node:assert/strict'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { diagnose, type Finding } from '#apps/doctor.ts'
import { openInstallation } from '#apps/open-installation.ts'
import { refuseOtherKeys } from '#apps/open-keys.ts'
import type { Config } from '#platform/config.ts'
import { openKeyRing } from '#platform/crypto/key-ring.ts'
import { openLog } from '#platform/log.ts'
import { int4 } from '#platform/postgres/column-type.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import { earlierPlace, emptyPlace } from '../../test/support/empty-place.ts'

const log = openLog('silent')
const ring = 'key-ring.json'
const cardKey = 'card-key-000001.json'

async function openAndClose(config: Config): Promise<string> {
  const installation = await openInstallation({ config, role: 'gateway', log })
  await installation.close()
  return installation.keyRing.id
}

async function findingOn(subject: string, config: Config): Promise<Finding | undefined> {
  return (await diagnose(config)).find((one) => one.subject === subject)
}

for (const [what, kept, lost] of [
  ['the folder of keys', null, ring],
  ['all keys in their folder', [], ring],
  ['the key ring', [cardKey], ring],
  ['the card key', [ring], cardKey],
] as const) {
  test(`a database that has lost ${what} is given no other: nothing is written`, async (t) => {
    const config = await emptyPlace(t)
    const { keysFolder } = config
    const id = await openAndClose(config)
    renameSync(keysFolder, `${keysFolder}-away`)
    if (kept) mkdirSync(keysFolder, { mode: 0o700 })
    for (const file of kept ?? []) cpSync(join(`${keysFolder}-away`, file), join(keysFolder, file))
    const finding = await findingOn('keys', config)
    assert.equal(finding?.verdict, 'WRONG')
    const told = `${join(keysFolder, lost)} is missing. Restore it from your backup`
    assert.ok(finding.text.startsWith(told), finding.text)
    assert.equal(await findingOn('database', config), undefined)
    await assert.rejects(openAndClose(config), { name: 'Complaint', message: finding.text })
    assert.deepEqual(existsSync(keysFolder) ? readdirSync(keysFolder) : null, kept)
    rmSync(keysFolder, { recursive: true, force: true })
    renameSync(`${keysFolder}-away`, keysFolder)
    assert.equal(await openAndClose(config), id)
  })
}

test('a start that died before it registered its keys is gone on with, whatever it had made', async (t) => {
  for (const made of [[], [ring], [ring, cardKey]]) {
    const config = await emptyPlace(t)
    const { id } = await openKeyRing(config.keysFolder, 'sandbox')
    for (const file of [ring, cardKey])
      if (!made.includes(file)) rmSync(join(config.keysFolder, file), { force: true })
    const opened = await openAndClose(config)
    assert.equal(opened === id, made.includes(ring))
    assert.deepEqual(readdirSync(config.keysFolder), [cardKey, ring])
  }
})

test('keys that others can read are doubtful, and nothing else is wrong with them', async (t) => {
  const config = await emptyPlace(t)
  await openAndClose(config)
  assert.equal((await findingOn('keys', config))?.verdict, 'ok')
  for (const path of [config.keysFolder, join(config.keysFolder, cardKey)]) {
    const { mode } = statSync(path)
    chmodSync(path, mode | 0o050)
    const finding = await findingOn('keys', config)
    assert.equal(finding?.verdict, 'warning')
    assert.equal(finding.text.split('(chmod go=): ')[1], path)
    chmodSync(path, mode)
  }
})

const countMigrations = statement(
  'test_count_migrations',
  [],
  { applied: int4 },
  `select count(*)::int4 as applied from schema_migration`,
)

test('keys of another installation, or other card keys, are refused before any change', async (t) => {
  const config = await earlierPlace(t, '0038')
  const db = openDatabase(
    { connectionString: config.databaseUrl },
    { sizeMax: 1, onIdleError: () => undefined },
  )
  t.after(() => db.close())
  await refuseOtherKeys(db, config)
  const { id } = await openKeyRing(config.keysFolder, 'sandbox')
  const foreign = { ...config, keysFolder: `${config.keysFolder}-foreign` }
  await openKeyRing(foreign.keysFolder, 'sandbox')
  const mixed = { ...config, keysFolder: `${config.keysFolder}-mixed` }
  cpSync(foreign.keysFolder, mixed.keysFolder, { recursive: true })
  cpSync(join(config.keysFolder, ring), join(mixed.keysFolder, ring))
  await assert.rejects(openAndClose(foreign), /is not the one this database was set up with/)
  await assert.rejects(openAndClose(mixed), /card key of version 1 in KEYS_DIR is not the one/)
  assert.deepEqual(await db.run(countMigrations, []), [{ applied: 37 }])
  assert.equal(await openAndClose(config), id)
  assert.notDeepEqual(await db.run(countMigrations, []), [{ applied: 37 }])
})
