import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { readProject } from './read-project.ts'

test('without git the tree is read, but not what is installed, stored or binary', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'tillgate-tidy-'))
  t.after(() => rm(root, { recursive: true }))
  for (const folder of ['src/kernel', 'node_modules/pg', 'data', '.cache'])
    await mkdir(join(root, folder), { recursive: true })
  await writeFile(join(root, 'src/kernel/money.ts'), 'one')
  await writeFile(join(root, 'logo.png'), Uint8Array.of(137, 0))
  for (const path of ['node_modules/pg/a.js', 'data/b', '.cache/c'])
    await writeFile(join(root, path), 'other')
  assert.deepEqual(await readProject(root), { files: [{ path: 'src/kernel/money.ts', text: 'one' }] })
})
