import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate, migrationFolder } from '#platform/postgres/migrate.ts'
import { administer, testConnection } from './test-cluster.ts'

// A new database as it was before this migration, by its four digits.
export async function makeEarlierDatabase(name: string, before: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-migrations-'))
  const earlier = (await readdir(migrationFolder)).filter((file) => file < before)
  await Promise.all(earlier.map((file) => cp(join(migrationFolder, file), join(folder, file))))
  await administer(`create database ${name}`)
  await migrate(testConnection(name), { folder })
  await rm(folder, { recursive: true })
}

export async function withClient<Result>(database: string, work: (client: pg.Client) => Promise<Result>) {
  const client = new pg.Client(testConnection(database))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
