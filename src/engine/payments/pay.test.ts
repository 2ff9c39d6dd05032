import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { DatabaseUnavailable, type Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
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
    run: (asked, values) => (isGone ? gone() : needs.db.run(asked, values)),
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

const deadlock = statement(
  'test_deadlock',
  [],
  {},
  `do $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`,
)

test('deadlocks before and after the bank is asked are repeated, the question is not', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  const asked = await needs.bank.log.read({ last: 100 })
  let deadlocks = 0
  const onceInTwo = async (tx: Tx): Promise<void> => {
    deadlocks += 1
    if (deadlocks % 2 === 1) await tx.run(deadlock, [])
  }
  const followers = needs.followers.map((follower) => ({
    ...follower,
    begin: async (tx: Tx, starts: Parameters<typeof follower.begin>[1]) => {
      await onceInTwo(tx)
      return follower.begin(tx, starts)
    },
    follow: async (tx: Tx, moved: Parameters<typeof follower.follow>[1]) => {
      await onceInTwo(tx)
      return follower.follow(tx, moved)
    },
  }))
  const engine = paymentEngine({ ...needs, followers })
  const { members } = told(
    await charge({ ...needs, ...engine, clock: needs.clock }, caller, consent, { Amounts: 5 }),
  )
  assert.equal(members.TxApproved, true)
  assert.equal(deadlocks, 4)
  assert.equal((await needs.bank.log.read({ last: 100 })).length, asked.length + 1)
})
