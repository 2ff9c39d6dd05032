import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbeddedServer } from '#platform/postgres/embedded-server.ts'
import { readPostmasterFile } from '#platform/postgres/postmaster.ts'

test('a first start says when set-up and server have begun, so others can work meanwhile', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const cluster = join(folder, 'cluster')
  const waits: object[] = []
  const onWait = () =>
    waits.push({
      isSetUp: existsSync(cluster),
      isReady: readPostmasterFile(cluster)?.status === 'ready',
    })
  const server = await startEmbeddedServer({ folder, onWait })
  await server.stop()
  assert.deepEqual(waits, [
    { isSetUp: false, isReady: false },
    { isSetUp: true, isReady: false },
  ])
})
