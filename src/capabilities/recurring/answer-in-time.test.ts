import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerInTime } from '#capabilities/recurring/answer-in-time.operation.ts'
import { runDue } from '#capabilities/recurring/process-due-payments.operation.ts'
import { processedToWire } from '#capabilities/recurring/processed.wire.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { makeCallerOf } from '../../../test/support/consent-world.ts'
import { instalmentsOf, makePlan } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

// A bank that keeps everybody waiting until it is told to answer.
function withSlowBank(plain: World): { needs: World; answer: () => void } {
  const { promise: told, resolve: answer } = Promise.withResolvers<null>()
  const authorize: World['acquirer']['authorize'] = async (request, signal) => {
    if (request.amount.minor > 0n) await told
    return plain.acquirer.authorize(request, signal)
  }
  return { needs: { ...plain, acquirer: { ...plain.acquirer, authorize } }, answer: () => answer(null) }
}

test('a call that would take too long answers what is done, and what it began is finished', async () => {
  const { needs, answer } = withSlowBank(world())
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller)
  const { accountId } = caller
  const on = Temporal.PlainDate.from('2027-01-15')
  const due = { accountId, merchant: merchantNumber(1), on, collectedOn: null }
  const run = runDue(needs, { due, charger: { origin: 'API', userId: '', takesNamed: false } })
  const { message, members } = processedToWire(await answerInTime(needs, run, 1))
  assert.equal(
    message,
    'Total Processed: 0 Approved: 0 Declined: 0 Partial: 0. Still running: look at the rest later. ' +
      'What it does not reach is not charged; if due, the next run takes it',
  )
  assert.equal(members.NumProcessed, 0)
  answer()
  assert.equal((await run.done).approved.length, 1)
  assert.equal((await instalmentsOf(needs.db, consent))[0]?.state, 'paid')
})
