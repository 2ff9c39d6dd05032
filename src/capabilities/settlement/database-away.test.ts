import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { failingWhere } from '../../../test/support/due-work.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, sell, settleAll } from '../../../test/support/till.ts'

const world = useWorld()

test('nobody is told that nothing was settled when the database goes away behind the close', async () => {
  const till = await openTill(world())
  await sell(till, 20)
  const away = new DatabaseUnavailable('The database does not answer')
  const db = failingWhere(till.needs.db, (name) => name === 'insert_batch_answer', away)
  const told = await settleAll({ ...till, needs: { ...till.needs, db } })
  assert.deepEqual([told.code, told.isApproved], [6403, false])
  till.needs.clock.advance({ minutes: 5 })
  const again = await settleAll(till)
  assert.deepEqual([again.code, again.isApproved, again.batch['BatchNum']], [0, true, told.batch['BatchNum']])
  const rows = await till.needs.bank.log.read({ last: 1_000 })
  assert.equal(rows.filter(({ verb }) => verb === 'settle').length, 1)
})
