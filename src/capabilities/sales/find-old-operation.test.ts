import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { lookUpOperation } from '#capabilities/sales/look-up-operation.operation.ts'
import { declaredStatements } from '#platform/postgres/statement.ts'
import { fillPayments, paymentFacts } from '../../../test/support/many-payments.ts'
import type { ManyRecords } from '../../../test/support/many-records.ts'
import { searcherOf } from '../../../test/support/searching.ts'
import { useWorldOn } from '../../../test/support/session-world.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const old = 4_321

describe('an operation with many others after it', () => {
  const database = useTestDatabase()
  const world = useWorldOn(database)
  let client = new pg.Client()
  let filled: ManyRecords | null = null
  before(async () => {
    client = new pg.Client({ ...database().connection })
    await client.connect()
    filled = await fillPayments(client, 30_000, world().clock.now())
  })
  after(() => client.end())

  for (const [what, text] of [
    ['its reference', paymentFacts.reference(old)],
    ['its second reference', paymentFacts.secondReference(old)],
  ] as const) {
    test(`is found by ${what}`, async () => {
      const caller = searcherOf(filled?.account ?? 1n, world().clock.now())
      const looked = await lookUpOperation(world(), caller, { by: 'reference', text })
      assert(looked.ok)
      assert.deepEqual(
        looked.value.found.map(({ transactionId }) => transactionId),
        [BigInt(old)],
      )
    })
  }

  test('is looked for in the ranges that may hold it', async () => {
    const search = declaredStatements().find(({ name }) => name === 'find_old_operations_by_reference')
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${search?.text}`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(plan, /Bitmap Index Scan on attempt_by_reference/, plan)
    assert.doesNotMatch(plan, /attempt_by_time|attempt_pkey/, plan)
  })
})
