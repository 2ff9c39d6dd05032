import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteOpening } from '#capabilities/links/show-link.operation.ts'
import { holding } from '../../../test/support/holding.ts'
import { lookAt, makeLink } from '../../../test/support/link-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { somebodyWaits } from '../../../test/support/somebody-waits.ts'
import { eventsOf, openTill } from '../../../test/support/till.ts'

const world = useWorld()

test('of two who open a link for the first time at once, one is the first', async () => {
  const till = await openTill(world())
  // Both have read the link before either has noted anything.
  const view = await lookAt(await makeLink(till))
  const { needs, done, open } = holding(till.needs)
  const first = noteOpening(needs, view)
  await done
  const second = noteOpening(till.needs, view)
  await somebodyWaits(till.needs.db)
  open()
  await Promise.all([first, second])
  assert.deepEqual(await eventsOf(till), ['link.opened'])
})
