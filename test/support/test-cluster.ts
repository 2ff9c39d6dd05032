import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Connection } from '#platform/postgres/connection.ts'
import { startEmbeddedServer } from '#platform/postgres/embedded-server.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { compareMoments } from './compare-moments.ts'

// The global set-up of a test run: one PostgreSQL for all test files, with one migrated database that is
// cloned for each.
const addressName = 'TEST_POSTGRES_SOCKET'
const templateName = 'tillgate_template'

let stop: (() => Promise<void>) | null = null

export async function globalSetup(): Promise<void> {
  compareMoments()
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-test-'))
  // Durability costs the tests time and proves nothing here; the crash journeys start servers of their own.
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    max_connections: '200',
  }
  const server = await startEmbeddedServer({ folder, settings })
  stop = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  process.env[addressName] = server.socketFolder
  await administer(`create database ${templateName}`)
  await migrate(testConnection(templateName))
}

export async function globalTeardown(): Promise<void> {
  await stop?.()
}

export function testConnection(database: string): Connection {
  const host = process.env[addressName]
  if (!host) throw new Error('Tests are run by npm test or npm run check, which start a PostgreSQL for them.')
  return { host, user: 'tillgate', database }
}

export const templateConnection = (): Connection => testConnection(templateName)

export async function administer(sql: string): Promise<void> {
  const client = new pg.Client(testConnection('postgres'))
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
