import assert from 'node:assert/strict'
import { test } from 'node:test'

import { staleFiles } from './generated.ts'

const generated = [
  { path: 'db/schema.sql', render: async () => 'one\ntwo\n' },
  { path: 'docs/errors.md', render: async () => 'errors\n' },
]

const reader = (files: Readonly<Record<string, string>>) => async (path: string) => files[path] ?? null

test('fresh files are no breach', async () => {
  const read = reader({ 'db/schema.sql': 'one\ntwo\n', 'docs/errors.md': 'errors\n' })
  assert.deepEqual(await staleFiles(read, generated), [])
})

test('a stale file is named with its first different line, a missing one as missing', async () => {
  const [stale, missing, ...others] = await staleFiles(reader({ 'db/schema.sql': 'one\n2\n' }), generated)
  assert.equal(stale?.path, 'db/schema.sql')
  assert.equal(stale?.line, 2)
  assert.match(stale?.message ?? '', /stale.*npm run schema/)
  assert.equal(missing?.path, 'docs/errors.md')
  assert.match(missing?.message ?? '', /missing/)
  assert.deepEqual(others, [])
})
