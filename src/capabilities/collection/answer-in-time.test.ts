import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerInTime } from '#capabilities/collection/answer-in-time.operation.ts'
import { runDue } from '#capabilities/collection/process-due-payments.operation.ts'
import { processedToWire } from '#capabilities/collection/processed.wire.ts'
import { portionSize } from '#capabilities/collection/run-instalments.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { makeCallerOf } from '../../../test/support/consent-world.ts'
import { instalmentsOf, makePlan } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

// A bank that keeps everybody waiting until it is told to answer, and tells when so many wait.
function withSlowBank(plain: World, many = 1) {
  const { promise: told, resolve: answer } = Promise.withResolvers<null>()
  const { promise: manyWait, resolve: full } = Promise.withResolvers<null>()
  let waiting = 0
  const authorize: World['acquirer']['authorize'] = async (request, signal) => {
    if (request.amount.minor > 0n) {
      waiting += 1
      if (waiting === many) full(null)
      await told
    }
    return plain.acquirer.authorize(request, signal)
  }
  const needs: World = { ...plain, acquirer: { ...plain.acquirer, authorize } }
  return { needs, answer: () => answer(null), manyWait }
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
  assert.equal(message, 'Total Processed: 0 Approved: 0 Declined: 0 Partial: 0')
  assert.deepEqual([members.NumProcessed, members.RunState], [0, 'RUNNING'])
  answer()
  assert.equal((await run.done).approved.length, 1)
  assert.equal((await instalmentsOf(needs.db, consent))[0]?.state, 'paid')
})

test('portions that were not even begun when the caller was answered are charged, too', async () => {
  const { needs, answer, manyWait } = withSlowBank(world(), 2 * portionSize)
  const caller = await makeCallerOf(needs, { verifiesCards: false })
  const payments = 2 * portionSize + 44
  const { consent } = await makePlan(needs, caller, { NumPayments: payments, TotalAmount: payments })
  const on = Temporal.PlainDate.from('2060-01-01')
  const due = { accountId: caller.accountId, merchant: merchantNumber(1), on, collectedOn: null }
  const run = runDue(needs, { due, charger: { origin: 'API', userId: '', takesNamed: false } })
  await manyWait
  const early = await answerInTime(needs, run, 1)
  assert.deepEqual([early.ending, early.approved.length], ['running', 0])
  const begun = (await instalmentsOf(needs.db, consent)).filter(({ state }) => state !== 'scheduled')
  assert.equal(begun.length, 2 * portionSize, 'the last portion waits until there is room')
  answer()
  assert.equal((await run.done).approved.length, payments)
  assert.ok((await instalmentsOf(needs.db, consent)).every(({ state }) => state === 'paid'))
})
