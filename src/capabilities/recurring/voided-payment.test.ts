import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePlan, processDue } from '../../../test/support/plan-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, undo } from '../../../test/support/till.ts'

const world = useWorld()

test('a payment of a plan that was voided counts as collected nowhere', async () => {
  const till = await openTill(world())
  const { consent } = await makePlan(till.needs, till.caller)
  await processDue(till.needs, till.caller)
  const paid = async () => {
    const { members } = await call(till, 'Query/ConsentRecurring', { Query: `(Z=${consent})` })
    return Object(members['Consents'])[0].RAmtPaidSoFar
  }
  assert.equal(await paid(), 33.33)
  const { members } = await call(till, 'Query/Transaction', { Query: `(P=${consent})` })
  assert.equal((await undo(till, Object(members['Transactions'])[0].ID)).code, 0)
  assert.equal(await paid(), 0)
  const receipt = { REFID: String(consent), ReceiptType: 5, Recipient: 2 }
  const page = JSON.stringify((await call(till, 'Receipt/ReceiptGenerate', receipt)).members)
  assert.match(page, /Not collected[^-]*-\$33\.33<[^C]*Collected[^0]*\$0\.00</)
})
