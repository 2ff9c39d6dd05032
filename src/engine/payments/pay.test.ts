import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentReader } from '#capabilities/consents/find-consent.operation.ts'
import { inBulk, paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { usualPatience } from '#engine/payments/payment-needs.ts'
import { pausable } from '#engine/restore-guard/pausable.connector.ts'
import { BatchCrowd } from '#platform/postgres/batch-crowd.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { statement } from '#platform/postgres/statement.ts'
import {
  charge,
  eventsOf,
  makeCallerOf,
  makeConsent,
  postedMinor,
  told,
} from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()
const gone = () => Promise.reject(new DatabaseUnavailable('The database does not answer'))

const impatient = { ...usualPatience, recordMs: 0 }

type Outage = {
  readonly times: number
  // It does what it is asked to, and does not say so.
  readonly losesWords?: boolean
  // No commit is confirmed any more.
  readonly losesStandby?: boolean
}

// A gateway whose database is away as often as this from the answer of the bank on.
async function payWhileAway({ times, losesWords = false, losesStandby = false }: Outage) {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  let [hasAnswered, left] = [false, times]
  const isAway = () => hasAnswered && left-- > 0
  const db: typeof needs.db = {
    ...needs.db,
    run: async (asked, values) => {
      const rows = await needs.db.run(asked, values)
      return losesStandby && hasAnswered && asked.text.startsWith('update') ? gone() : rows
    },
    inTransaction: async (work) => {
      const goesAway = isAway()
      if (goesAway && !losesWords) return gone()
      const done = await needs.db.inTransaction(work)
      return goesAway ? gone() : done
    },
  }
  const acquirer: typeof needs.acquirer = {
    ...needs.acquirer,
    authorize: async (request, signal) => {
      const answer = await needs.acquirer.authorize(request, signal)
      hasAnswered = true
      return answer
    },
  }
  const engine = paymentEngine({ ...needs, db, batchDb: db, acquirer, patience: impatient })
  const paying = { ...needs, ...engine, clock: needs.clock }
  return { needs, caller, told: told(await charge(paying, caller, consent, { Amounts: 5 })) }
}

test('a charge is of the crowd for its consent, T1 and T2; what is paid in bulk is not', async (t) => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  const crowd = new BatchCrowd()
  const { mock: enter } = t.mock.method(crowd, 'enter')
  const { mock: leave } = t.mock.method(crowd, 'leave')
  const engine = { ...needs, ...paymentEngine({ ...needs, crowd }), clock: needs.clock }
  const consentReads = consentReader({ ...needs, crowd })
  await charge({ ...engine, consentReads }, caller, consent, { Amounts: 5 })
  assert.equal(enter.callCount(), 3)
  assert.deepEqual(
    leave.calls.map(({ arguments: [callers] }) => callers),
    [1, 1, 1],
  )
  await charge(inBulk(engine), caller, consent, { Amounts: 5 })
  assert.equal(enter.callCount(), 3)
})

test('an answer that cannot be recorded is told as unknown with its transaction', async () => {
  const { refusal, members } = (await payWhileAway({ times: Infinity })).told
  assert.equal(refusal, 'outcome_unknown')
  assert.ok(members.TxID > 0)
})

test('a charge whose commit no standby confirms is told as unknown, although it is written', async () => {
  const { told: answer } = await payWhileAway({ times: 1, losesWords: true, losesStandby: true })
  assert.equal(answer.refusal, 'outcome_unknown')
})

for (const [what, losesWords] of [
  ['is away for a while', false],
  ['loses the confirmation of a commit', true],
] as const) {
  test(`a charge is told as approved, and posted once, when the database ${what}`, async () => {
    const { needs, caller, told: answer } = await payWhileAway({ times: 3, losesWords })
    assert.equal(answer.members.TxApproved, true)
    assert.equal(await postedMinor(needs.db, caller), 500n)
    assert.deepEqual(await eventsOf(needs.db, caller), ['consent.created', 'payment.approved'])
    // Nobody takes it for an answer that came too late.
    assert.deepEqual(await needs.db.run(readHistoryStatement, [BigInt(answer.members.TxID)]), [])
  })
}

const readHistoryStatement = statement(
  'test_read_history',
  [int8],
  { cause: text },
  `select cause from attempt_event where attempt_id = $1`,
)

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
    ...(follower.beginAll && {
      beginAll: (tx: Tx, starts: Parameters<typeof follower.begin>[1]) =>
        Promise.all([onceInTwo(tx), follower.beginAll?.(tx, starts)]),
    }),
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

const newestStatement = statement(
  'test_newest_of_pay',
  [],
  { state: text },
  `select state from attempt order by attempt_id desc limit 1`,
)

for (const kind of ['busy', 'clock'] as const)
  test(`a node that may not send any more (${kind}) is busy, and does not name the acquirer`, async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller)
    const acquirer = pausable(needs.acquirer, { hold: { kind, because: 'of a test' } })
    await assert.rejects(charge({ ...needs, acquirer }, caller, consent, { Amounts: 5 }), DatabaseUnavailable)
    assert.deepEqual(await needs.db.run(newestStatement, []), [{ state: 'not_sent' }])
  })
