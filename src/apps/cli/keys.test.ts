import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { keysCommands } from '#apps/cli/keys.ts'
import { confirmDatabase } from '#engine/restore-guard/check-database.operation.ts'
import { say } from '../../../test/support/say-command.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

test('whoever rotates the card key hears that other nodes need a copy of it', async (t) => {
  const needs = world()
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-node-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const rotate = async () => (await say(keysCommands['rotate'], { needs })).note ?? ''
  const register = (name: string) => confirmDatabase({ ...needs, stateFile: join(folder, name) }, 'of a test')
  await register('one')
  assert.doesNotMatch(await rotate(), /nodes are registered/)
  await register('another')
  assert.match(await rotate(), /2 nodes are registered\. One with a KEYS_DIR of its own opens no card until/)
})
