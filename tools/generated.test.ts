import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { templateConnection } from '../test/support/test-cluster.ts'
import { dumpSchema } from './dump-schema.ts'
import { generatedFiles } from './generated.ts'
import { staleFiles } from './tidy/generated.ts'
import { printBreaches } from './tidy/project.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFile(join(root, path), 'utf8').catch(() => null)

test('every page that is written from the code is up to date', async () => {
  assert.equal(printBreaches(await staleFiles(read, generatedFiles)), '')
})

test('db/schema.sql says what the migrations make', async () => {
  const client = new pg.Client(templateConnection())
  await client.connect()
  try {
    const schema = { path: 'db/schema.sql', render: () => dumpSchema(client) }
    assert.equal(printBreaches(await staleFiles(read, [schema])), '')
  } finally {
    await client.end()
  }
})
