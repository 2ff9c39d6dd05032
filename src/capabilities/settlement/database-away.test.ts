import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { failingWhere } from '../../../test/support/due-work.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, sell, settleAll, type Till, withKey } from '../../../test/support/till.ts'

const world = useWorld()

// The database goes away when the acquirer has answered.
function losingDatabase(till: Till): Till {
  const away = new DatabaseUnavailable('The database does not answer')
  const db = failingWhere(till.needs.db, (name) => name === 'insert_batch_answer', away)
  return { ...till, needs: { ...till.needs, db } }
}

async function settledAtBank({ needs }: Till): Promise<number> {
  const rows = await needs.bank.log.read({ last: 1_000 })
  return rows.filter(({ verb }) => verb === 'settle').length
}

test('nobody is told that nothing was settled when the database goes away behind the close', async () => {
  const till = await openTill(world())
  await sell(till, 20)
  const told = await settleAll(losingDatabase(till))
  assert.deepEqual([told.code, told.isApproved], [6403, false])
  till.needs.clock.advance({ minutes: 5 })
  const again = await settleAll(till)
  assert.deepEqual([again.code, again.isApproved, again.batch['BatchNum']], [0, true, told.batch['BatchNum']])
  assert.equal(await settledAtBank(till), 1)
})

test('nor is whoever asks again under the same key, and the log tells why nothing is known', async () => {
  const till = await openTill(world())
  await sell(till, 20)
  const keyed = withKey(till, 'evening', 'Settlement/ExecuteBatch_All')
  for (let calls = 0; calls < 2; calls += 1) {
    const before = till.needs.lines.length
    assert.equal((await settleAll(losingDatabase(keyed))).code, 6403)
    const logged = till.needs.lines.slice(before).map(({ text }) => text)
    assert(logged.includes('The database went away behind something that was done'), logged.join('; '))
    till.needs.clock.advance({ minutes: 5 })
  }
  assert.deepEqual([(await settleAll(keyed)).isApproved, await settledAtBank(till)], [true, 1])
})
