import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Config, readConfig } from '#platform/config.ts'
import { makeEarlierDatabase } from './earlier-database.ts'
import { administer, testConnection } from './test-cluster.ts'

// A database without tables, and folders without anything in them.
export async function emptyPlace(t: TestContext): Promise<Config> {
  const name = newName()
  await administer(`create database ${name}`)
  return placeOf(t, name)
}

// The same with a database as it was before this migration, by its four digits.
export async function earlierPlace(t: TestContext, before: string): Promise<Config> {
  const name = newName()
  await makeEarlierDatabase(name, before)
  return placeOf(t, name)
}

function newName(): string {
  return `test_${randomBytes(6).toString('hex')}`
}

function placeOf(t: TestContext, name: string): Config {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const host = encodeURIComponent(testConnection(name).host ?? '')
  const config = readConfig({
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    KEYS_DIR: join(folder, 'keys'),
    DATABASE_URL: `postgresql://tillgate@/${name}?host=${host}`,
  })
  assert(!('problems' in config))
  return config
}
