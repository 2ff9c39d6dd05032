import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockCommands } from '#apps/cli/clock.ts'
import { makeAccount, useWorld } from '../../../test/support/session-world.ts'
import { say } from '../../../test/support/say-command.ts'

const world = useWorld()

test('a clock that was never moved is told as real time, with the command that moves it', async () => {
  const needs = world()
  const { accountCode: account } = await makeAccount(needs)
  const { rows, note } = await say(clockCommands['show'], { needs, texts: { account } })
  assert.deepEqual(rows, [])
  assert.match(note ?? '', /^It is \S+Z\. That is real time: the clock of this account was never moved\. /)
  assert(note?.includes(`tillgate clock advance P1D --account ${account} moves it`))
})

test('a move that brought nothing says so', async () => {
  const needs = world()
  const { accountCode: account } = await makeAccount(needs)
  const moved = await say(clockCommands['advance'], { needs, subject: 'PT1S', texts: { account } })
  assert.match(moved.note ?? '', /^It is \S+Z\. Nothing fell due in its last move\.$/)
  const { note } = await say(clockCommands['show'], { needs, texts: { account } })
  assert.equal(note, moved.note)
})
