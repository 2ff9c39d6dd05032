import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findChargeableConsents } from '#capabilities/consents/chargeable-consent.store.ts'
import { lockAndTakeUse } from '#capabilities/consents/consent-use.store.ts'
import { moveAttempts } from '#engine/payments/attempt-move.store.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { explaining } from '../../../test/support/searching.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()
const now = Temporal.Instant.from('2026-03-02T12:00:00Z')

const searches: readonly (readonly [string, (on: Queryable) => Promise<unknown>])[] = [
  ['the consents of a batch', (on) => findChargeableConsents(on, [])],
  ['the consents whose limits a batch uses', (on) => lockAndTakeUse({ ...on, isTransaction: true }, [])],
  [
    'the attempts that a batch has answers for',
    (on) => moveAttempts({ ...on, isTransaction: true }, [], now),
  ],
]

// Plans are kept for as long as a connection lives, and the first ones are made when there is nothing yet.
for (const [what, search] of searches) {
  test(`${what} are looked up one by one, planned in a database without any`, async () => {
    const plans: string[] = []
    await search(explaining(database().batchDb, plans))
    const [plan = ''] = plans
    const scans = plan.match(/(Index|Seq|Bitmap Heap) Scan/g) ?? []
    const lookups = plan.match(/Index Cond: /g) ?? []
    assert.notEqual(scans.length, 0, plan)
    assert.equal(lookups.length, scans.length, plan)
  })
}
