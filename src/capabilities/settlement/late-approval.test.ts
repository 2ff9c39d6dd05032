import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptId } from '#engine/payments/attempt.ts'
import { decideAttempt } from '#engine/payments/decide-attempt.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { impatient } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, sell, settleAll } from '../../../test/support/till.ts'

const world = useWorld()

test('what an operator approves after days of silence is settled with the next day', async () => {
  const till = await openTill(impatient(world()))
  const { needs } = till
  needs.bank.faults.add({ delivery: { losesRequest: true, hangsUp: true }, times: 1 })
  needs.bank.faults.add({ verb: 'inquire', delivery: { losesRequest: true, hangsUp: true } })
  const unknown = await sell(till, 40)
  for (const hours of [1, 1, 24 * 8]) {
    needs.clock.advance({ hours })
    await recoverAttempts(needs)
  }
  await sell(till, 10)
  needs.clock.advance({ hours: 1 })
  await recoverAttempts(needs)
  const first = await settleAll(till)
  assert.equal(first.batch['BatchTransCount'], 1)

  const decision = { outcome: 'approved', reason: 'told on the phone', operator: 'ann' } as const
  const decided = await decideAttempt(needs, attemptId(BigInt(unknown)), decision)
  assert(decided.ok)
  const second = await settleAll(till)
  assert.equal(second.batch['BatchTransCount'], 1)
  const found = await call(till, 'Query/Transaction', { Query: `(H=${unknown})&&(B=4)` })
  assert.equal(found.members['NumRecords'], 1, 'the bank has never seen it, so its batch is locked')
})
