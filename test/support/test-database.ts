import { randomBytes } from 'node:crypto'
import { after, before } from 'node:test'
import type { Connection } from '#platform/postgres/connection.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { administer, testConnection } from './test-cluster.ts'

export type TestDatabase = {
  readonly db: Database
  readonly batchDb: Database
  readonly connection: Connection
  readonly url: string
}

// A database of its own for one test file, cloned from the migrated template. Call it once, at the top of
// the file.
export function useTestDatabase(template = 'tillgate_template'): () => TestDatabase {
  const name = `test_${randomBytes(6).toString('hex')}`
  let opened: TestDatabase | null = null
  before(async () => {
    await administer(`create database ${name} template ${template}`)
    const connection = testConnection(name)
    // Many at once queue for eight connections, on a busy machine for longer than the product would wait.
    const usual = { sizeMax: 8, onIdleError: () => undefined, waitMsMax: 30_000 }
    const db = openDatabase(connection, usual)
    const batchDb = openDatabase(connection, { ...usual, isForBatches: true })
    const url = `postgresql://tillgate@/${name}?host=${encodeURIComponent(connection.host ?? '')}`
    opened = { db, batchDb, connection, url }
  })
  // The database itself goes with the cluster: dropping each one would cost a checkpoint.
  after(() => Promise.all([opened?.db.close(), opened?.batchDb.close()]))
  return () => {
    if (!opened) throw new Error('The test database exists only while tests run')
    return opened
  }
}
