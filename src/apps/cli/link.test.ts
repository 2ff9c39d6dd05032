import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkCommands } from '#apps/cli/link.ts'
import { makeLink } from '../../../test/support/link-world.ts'
import { say } from '../../../test/support/say-command.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

test('the list of links says when it does not show them all', async () => {
  const till = await openTill(world())
  const texts = { account: till.account.accountCode }
  const list = () => say(linkCommands['list'], { needs: till.needs, texts })
  await Promise.all(Array.from({ length: 100 }, () => makeLink(till)))
  const all = await list()
  assert.deepEqual([all.rows.length, all.unshown], [100, undefined])
  await makeLink(till)
  const newest = await list()
  assert.equal(newest.rows.length, 100)
  assert.equal(newest.unshown, 'Found more than 100 links; these are the newest.')
})
