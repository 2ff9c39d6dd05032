import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeDayWork } from '#capabilities/settlement/close-day.task.ts'
import { text } from '#platform/postgres/column-type.ts'
import type { Database } from '#platform/postgres/database.ts'
import { makeMerchant, useWorldOn } from '../../../test/support/session-world.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'
import { openTill } from '../../../test/support/till.ts'
import { withClient } from '../../../test/support/with-client.ts'

const database = useTestDatabase()
const world = useWorldOn(database)

// Copies of record 1, all of them looked at and due next week.
const manyRecords = `insert into merchant
  select (jsonb_populate_record(m, jsonb_build_object('merchant_number', n))).*
  from merchant m, generate_series(100, 20000) n where m.merchant_number = 1`
const nextWeek = `update settlement_plan set next_close_at = timestamptz '2027-01-22 04:30Z'`

// The same database, which also keeps how it finds what it is asked for.
function telling(db: Database): { readonly db: Database; readonly plans: string[] } {
  const plans: string[] = []
  const run: Database['run'] = async (asked, values) => {
    const explained = { ...asked, name: '', columns: { 'QUERY PLAN': text }, text: `explain ${asked.text}` }
    plans.push((await db.run(explained, values)).map((row) => row['QUERY PLAN']).join('\n'))
    return db.run(asked, values)
  }
  return { db: { ...db, run }, plans }
}

test('of 20,000 records the few that are due are found by an index, a new one among them', async () => {
  const till = await openTill(world())
  await withClient(database().connection, async (client) => {
    for (const sql of [manyRecords, nextWeek, 'analyze settlement_plan', 'analyze merchant'])
      await client.query(sql)
  })
  const { db, plans } = telling(database().db)
  const due = () => closeDayWork.accountsDue({ ...till.needs, db }, till.needs.clock.now())
  assert.deepEqual(await due(), [])
  assert.match(plans.join(), /settlement_plan_due/)
  assert.doesNotMatch(plans.join(), /Seq Scan/)
  await makeMerchant(till.needs, till.account, { isInternational: true })
  assert.deepEqual(await due(), [], 'the bank settles international orders')
  await makeMerchant(till.needs, till.account)
  assert.deepEqual(await due(), [till.account.accountId])
})
