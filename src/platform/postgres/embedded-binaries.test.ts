import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { findBinaries, restoreLibraryLinks } from '#platform/postgres/embedded-binaries.ts'

test('brings PostgreSQL 18', () => {
  assert.equal(findBinaries().majorVersion, '18')
})

test('makes the library links that a blocked install script left out', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'native', 'lib'), { recursive: true })
  const link = { source: 'native/lib/libicuuc.so.60.2', target: 'native/lib/libicuuc.so.60' }
  writeFileSync(join(folder, 'native', 'pg-symlinks.json'), JSON.stringify([link]))
  restoreLibraryLinks(folder)
  restoreLibraryLinks(folder)
  assert.equal(readlinkSync(join(folder, link.target)), 'libicuuc.so.60.2')
})
