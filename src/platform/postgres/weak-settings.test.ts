import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { openDatabase } from '#platform/postgres/database.ts'
import { findWeakSettings } from '#platform/postgres/weak-settings.ts'
import { administer, testConnection } from '../../../test/support/test-cluster.ts'

// The server of the tests does not wait for its disk at all.
const noDisk = [
  'fsync is off: a crash of the machine may destroy everything',
  'full_page_writes is off: a crash of the machine may destroy everything',
]
const forgetful = 'synchronous_commit is off: a crash of PostgreSQL forgets payments that were made'

async function weakSettingsOf(t: TestContext, { how = '', set = '' }): Promise<readonly string[]> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name} ${how}`)
  if (set !== '') await administer(`alter database ${name} set ${set}`)
  const db = openDatabase(testConnection(name), { sizeMax: 1, onIdleError: () => undefined })
  t.after(() => db.close())
  return findWeakSettings({ db, connectionsNeeded: 40 })
}

test('a server that forgets what it has confirmed when it crashes is weak', async (t) => {
  assert.deepEqual(await weakSettingsOf(t, {}), [...noDisk, forgetful])
  for (const set of ['on', 'local', 'remote_apply'])
    assert.deepEqual(await weakSettingsOf(t, { set: `synchronous_commit = ${set}` }), noDisk)
})

test('a database that cannot hold every name is weak', async (t) => {
  const how = `encoding 'LATIN1' locale_provider libc locale 'C' template template0`
  const weak = await weakSettingsOf(t, { how })
  assert.deepEqual(weak, [...noDisk, forgetful, 'server_encoding is LATIN1: not every name can be stored'])
})

test('a database that allows fewer connections than a process needs is weak', async (t) => {
  const weak = await weakSettingsOf(t, { how: 'connection limit 12' })
  assert.match(weak.at(-1) ?? '', /^12 connections are allowed, and each process needs up to 40: /)
  const enough = await weakSettingsOf(t, { how: 'connection limit 40' })
  assert.deepEqual(enough, [...noDisk, forgetful])
})
