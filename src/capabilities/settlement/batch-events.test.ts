import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int8, timestamptz } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { aheadOf } from '../../../test/support/clock-ahead.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, sell, settleAll } from '../../../test/support/till.ts'

const world = useWorld()

const batchClosedStatement = statement(
  'test_batch_closed_at',
  [int8],
  { at: timestamptz },
  `select created_at as at from event where account_id = $1 and type = 'batch.closed'`,
)

test('the end of a batch is told by the clock of its account', async () => {
  const { needs, ...rest } = await openTill(world())
  const till = { ...rest, needs: { ...needs, accountClock: aheadOf(needs.clock) } }
  await sell(till, 20)
  await settleAll(till)
  const { accountId } = till.account
  assert.deepEqual(await needs.db.run(batchClosedStatement, [accountId]), [
    { at: till.needs.accountClock.now(accountId) },
  ])
})
