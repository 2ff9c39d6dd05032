import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedServer } from '#platform/postgres/embedded-server.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { dumpSchema } from './dump-schema.ts'

// Migrates a throw-away database and writes what came of it to db/schema.sql.
const folder = await mkdtemp(join(tmpdir(), 'tillgate-schema-'))
const server = await startEmbeddedServer({ folder })
try {
  const connection = { host: server.socketFolder, user: server.user, database: 'postgres' }
  await migrate(connection)
  const client = new pg.Client(connection)
  await client.connect()
  await writeFile(join(import.meta.dirname, '../db/schema.sql'), await dumpSchema(client))
  await client.end()
  console.log('wrote db/schema.sql')
} finally {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}
