import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { DatabaseUnavailable } from '#platform/postgres/database.ts'
import { charge, makeCallerOf, makeConsent, told } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()
const gone = () => Promise.reject(new DatabaseUnavailable('The database does not answer'))

test('an answer that cannot be recorded is told as unknown with its transaction', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  let isGone = false
  const db: typeof needs.db = {
    ...needs.db,
    run: (statement, values) => (isGone ? gone() : needs.db.run(statement, values)),
    inTransaction: (work) => (isGone ? gone() : needs.db.inTransaction(work)),
  }
  const acquirer: typeof needs.acquirer = {
    ...needs.acquirer,
    authorize: async (request, signal) => {
      const answer = await needs.acquirer.authorize(request, signal)
      isGone = true
      return answer
    },
  }
  const engine = paymentEngine({ ...needs, db, acquirer })
  const { refusal, members } = told(
    await charge({ ...needs, ...engine, clock: needs.clock }, caller, consent, { Amounts: 5 }),
  )
  assert.equal(refusal, 'outcome_unknown')
  assert.ok(members.TxID > 0)
})
