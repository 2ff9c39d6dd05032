import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { answerRun, keepRun } from '#capabilities/collection/keep-run.operation.ts'
import { processDuePayments, runDue } from '#capabilities/collection/process-due-payments.operation.ts'
import { processSelectedPayments } from '#capabilities/collection/process-selected-payments.operation.ts'
import { processedToWire } from '#capabilities/collection/processed.wire.ts'
import { repeatRun } from '#capabilities/collection/repeat-run.operation.ts'
import { portionSize } from '#capabilities/collection/run-instalments.operation.ts'
import type { InstalmentId } from '#capabilities/recurring/instalment.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { bankMinor, callerKey, makeCallerOf } from '../../../test/support/consent-world.ts'
import { instalmentsOf, makePlan } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()
const merchant = merchantNumber(1)
const waiting = { timeout: 30_000 }

async function makeKeyedCaller(needs: World): Promise<Caller> {
  return { ...(await makeCallerOf(needs, { verifiesCards: false })), callerKey: callerKey('k-1', 'a run') }
}

// Of so many payments of one dollar, all due.
async function makeDue(needs: World, caller: Caller, payments: number) {
  const wish = {
    NumPayments: payments,
    TotalAmount: payments,
    Period: 'WEEKLY',
    StartDate: '2027-01-01',
  } as const
  const { consent, schedule } = await makePlan(needs, { ...caller, callerKey: null }, wish)
  needs.clock.advance({ hours: 24 * 7 * payments })
  return { consent, ids: schedule.map(({ SchedID }) => BigInt(SchedID) as InstalmentId) }
}

// Believed to answer however often it was silent.
const alwaysUp: World['line'] = { isUp: true, check: async () => undefined }

async function told(needs: World, caller: Caller) {
  const repeated = await repeatRun(needs, caller)
  assert.ok(repeated?.ok)
  return processedToWire(repeated.value)
}

async function isRunning(needs: World, caller: Caller): Promise<boolean> {
  const repeated = await repeatRun(needs, caller)
  return repeated !== null && !repeated.ok && repeated.refusal.kind === 'key_running'
}

// A process that is killed when it has recorded so many attempts: from then on no word of it reaches the
// database or the bank.
function mortal(needs: World, attempts: number): World {
  let left = attempts
  const mustLive = (): void => {
    if (left <= 0) throw new Crash('killed')
  }
  const db: World['db'] = {
    ...needs.db,
    run: async (...asked) => {
      mustLive()
      return needs.db.run(...asked)
    },
    inTransaction: async (...asked) => {
      mustLive()
      return needs.db.inTransaction(...asked)
    },
  }
  const crashpoint = (point: string) => {
    if (point === 'after_t1') left -= 1
    mustLive()
  }
  return { ...needs, ...paymentEngine({ ...needs, db, batchDb: db, crashpoint }), db, clock: needs.clock }
}

// Whatever it says, nobody hears it any more.
async function lose(answer: Promise<unknown>): Promise<void> {
  await answer.catch(() => null)
}

// What the dead had begun is found out; its leases are over by then.
async function recoverAll(needs: World): Promise<void> {
  for (let round = 0; round < 40; round += 1) {
    needs.clock.advance({ seconds: 61 })
    await recoverAttempts(needs)
  }
}

const countRunsStatement = statement(
  'test_count_keyed_runs',
  [int8],
  { runs: int8, payments: int8 },
  `select count(*) as runs, (select count(*) from keyed_run_payment p
     where p.run_id in (select r.run_id from keyed_run r where r.account_id = $1)) as payments
   from keyed_run where account_id = $1`,
)

const keysStatement = statement(
  'test_keys_of_runs',
  [int8],
  { acquirer_ref: text },
  `select acquirer_ref from idempotency where account_id = $1 and acquirer_ref like 'run:%'`,
)

describe('a run that is killed', () => {
  test('is told to be running for a while, and then what it has charged', async () => {
    const needs = world()
    const caller = await makeKeyedCaller(needs)
    const { consent } = await makeDue(needs, caller, 5)
    await lose(processDuePayments(mortal(needs, 3), caller, { merchant }))
    assert.ok(await isRunning(needs, caller))
    needs.clock.advance({ seconds: 89 })
    assert.ok(await isRunning(needs, caller))
    await recoverAll(needs)
    const { message, members } = await told(needs, caller)
    const charged = await bankMinor(needs)
    assert.equal(charged, BigInt(members.NumApproved) * 100n)
    const states = (await instalmentsOf(needs.db, consent)).map(({ state }) => state)
    assert.equal(states.filter((state) => state === 'paid').length, members.NumApproved)
    assert.equal(members.RunState, 'CUT_SHORT')
    assert.deepEqual(await told(needs, caller), { message, members }, 'and so it stays')
    assert.equal(await bankMinor(needs), charged)
  })

  test('names payments that were asked for and not reached as not charged', async () => {
    const needs = world()
    const caller = await makeKeyedCaller(needs)
    const { ids } = await makeDue(needs, caller, 2 * portionSize + 3)
    const dying = mortal(needs, portionSize + 1)
    await lose(processSelectedPayments(dying, caller, { instalments: ids }))
    await recoverAll(needs)
    const { members } = await told(needs, caller)
    const left = ids.length - members.NumProcessed
    assert.ok(left >= 3 && members.NumApproved > 0)
    assert.equal(await bankMinor(needs), BigInt(members.NumApproved) * 100n)
    const missing = new Set(ids.map(Number)).difference(
      new Set(members.ApprovedPayments.map(({ SchedID }) => SchedID)),
    )
    assert.equal(missing.size, left)
    assert.deepEqual(new Set(members.NotChargedSchedIDs), missing)
  })

  test('before its first payment runs anew when its call is repeated', async () => {
    const needs = world()
    const caller = await makeKeyedCaller(needs)
    await makeDue(needs, caller, 3)
    await lose(processDuePayments(mortal(needs, 1), caller, { merchant }))
    await recoverAll(needs)
    const again = await repeatRun(needs, caller)
    // One attempt was recorded and never sent, so nothing was charged.
    assert.equal(again, null)
    const first = await processDuePayments(needs, caller, { merchant })
    assert.ok(first.ok)
    assert.equal(first.value.approved.length, 3)
    assert.equal(await bankMinor(needs), 300n)
  })
})

test('a run that was taken for dead, and told, charges nothing more when it wakes', waiting, async () => {
  const needs = world()
  const caller = await makeKeyedCaller(needs)
  const { consent } = await makeDue(needs, caller, portionSize + 2)
  let begun = 0
  // It sleeps before it records the second payment, and longer than anybody waits for it.
  const asleep = Promise.withResolvers<void>()
  const awake = Promise.withResolvers<void>()
  const attempts: World['attempts'] = {
    add: async (attempt) => {
      begun += 1
      if (begun > 1) {
        asleep.resolve()
        await awake.promise
      }
      return needs.bulk.attempts.add(attempt)
    },
  }
  const run = processDuePayments({ ...needs, bulk: { ...needs.bulk, attempts } }, caller, { merchant })
  await asleep.promise
  while ((await instalmentsOf(needs.db, consent))[0]?.state !== 'paid') await setImmediate()
  needs.clock.advance({ seconds: 91 })
  const before = await told(needs, caller)
  assert.equal(before.members.NumApproved, 1)
  awake.resolve()
  const own = await run
  assert.deepEqual([own.ok && own.value.approved.length, own.ok && own.value.ending], [1, 'cut_short'])
  assert.equal(await bankMinor(needs), 100n)
  assert.deepEqual(await told(needs, caller), before)
  const states = new Set((await instalmentsOf(needs.db, consent)).slice(1).map(({ state }) => state))
  assert.deepEqual(states, new Set(['scheduled']))
})

test('a run answered before its end is running until then, and then told in full', waiting, async () => {
  const plain = world()
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<null>()
  let charges = 0
  const authorize: World['acquirer']['authorize'] = async (request, signal) => {
    charges += 1
    if (charges > 1) await mayAnswer
    return plain.acquirer.authorize(request, signal)
  }
  const acquirer = { ...plain.acquirer, authorize }
  const needs = { ...plain, ...paymentEngine({ ...plain, acquirer }), clock: plain.clock }
  const caller = await makeKeyedCaller(needs)
  await makeDue(needs, caller, 4)
  const kept = await keepRun(needs, caller, { merchantNumber: merchant, named: [] })
  assert.ok(kept.ok && kept.value)
  const { accountId } = caller
  const due = { accountId, merchant, on: Temporal.PlainDate.from('2027-12-31'), collectedOn: null }
  const charger = { origin: 'API', userId: '', takesNamed: false, run: kept.value.runId } as const
  const run = runDue(needs, { due, charger })
  while (run.soFar().approved.length === 0) await setImmediate()
  const early = processedToWire(await answerRun(needs, { kept: kept.value, run, patienceMs: 1 }))
  assert.deepEqual([early.members.NumProcessed, early.members.RunState], [1, 'RUNNING'])
  assert.ok(await isRunning(needs, caller))
  answer(null)
  await run.done
  while (await isRunning(needs, caller)) await setImmediate()
  const { message, members } = await told(needs, caller)
  assert.equal(message, 'Total Processed: 4 Approved: 4 Declined: 0 Partial: 0')
  assert.equal(members.RunState, 'FINISHED')
  assert.deepEqual(members.ApprovedPayments[0], early.members.ApprovedPayments[0])
  assert.deepEqual(
    members.ApprovedPayments.map(({ SEQ }) => SEQ),
    ['0001', '0002', '0003', '0004'],
  )
})

const refStatement = statement(
  'test_ref_of_instalment',
  [int8],
  { attempt_ref: text },
  `select attempt_ref from instalment where instalment_id = $1`,
)

// A bank that does what it is asked, and tells nobody what came of it while it is silent about that.
function mute(plain: World, isSilent: (ref: string) => boolean): World {
  const hush = async <Told>(ref: string, answer: Promise<Told>) => {
    const heard = await answer
    return isSilent(ref) ? ({ kind: 'unknown', because: 'timeout' } as const) : heard
  }
  const acquirer: World['acquirer'] = {
    ...plain.acquirer,
    authorize: (request, signal) => hush(request.ref, plain.acquirer.authorize(request, signal)),
    inquire: (ref, signal) => hush(ref, plain.acquirer.inquire(ref, signal)),
  }
  return { ...plain, ...paymentEngine({ ...plain, acquirer }), clock: plain.clock, line: alwaysUp }
}

test('a place that was told stays, whatever comes to be known later', async () => {
  const heard = new Set<string>()
  const needs = mute(world(), (ref) => !heard.has(ref))
  const caller = await makeKeyedCaller(needs)
  const { ids } = await makeDue(needs, caller, 3)
  const first = await processDuePayments(needs, caller, { merchant })
  assert.ok(first.ok)
  assert.deepEqual(new Set(first.value.unknown.map(({ instalmentId }) => instalmentId)), new Set(ids))
  // One after the other becomes known, the last one first.
  const places = new Map<number, string>()
  for (const known of ids.toReversed()) {
    const [row] = await needs.db.run(refStatement, [known])
    heard.add(row?.attempt_ref ?? '')
    const { ApprovedPayments: approved } = (await told(needs, caller)).members
    places.set(Number(known), `000${places.size + 1}`)
    assert.deepEqual(new Map(approved.map(({ SchedID, SEQ }) => [SchedID, SEQ])), places)
  }
  assert.deepEqual(await told(needs, caller), await told(needs, caller))
})

test('a repeated call asks about one portion of what is not known, however much that is', async () => {
  const needs = mute(world(), () => true)
  const caller = await makeKeyedCaller(needs)
  const payments = portionSize + 3
  await makeDue(needs, caller, payments)
  const first = await processDuePayments(needs, caller, { merchant })
  assert.equal(first.ok && first.value.unknown.length, payments)
  let inquiries = 0
  const inquire: World['acquirer']['inquire'] = async (ref, signal) => {
    inquiries += 1
    return needs.acquirer.inquire(ref, signal)
  }
  const counting = { ...needs, acquirer: { ...needs.acquirer, inquire } }
  const { members } = await told(counting, caller)
  assert.deepEqual([members.NumProcessed, inquiries], [payments, portionSize])
})

test('a run without a key, or one that came to nothing, leaves nothing to be told', async () => {
  const needs = world()
  const caller = await makeKeyedCaller(needs)
  assert.ok((await processDuePayments(needs, caller, { merchant })).ok)
  await makeDue(needs, caller, 2)
  assert.ok((await processDuePayments(needs, { ...caller, callerKey: null }, { merchant })).ok)
  assert.deepEqual(await needs.db.run(countRunsStatement, [caller.accountId]), [{ runs: 0n, payments: 0n }])
  assert.deepEqual(await needs.db.run(keysStatement, [caller.accountId]), [])
  assert.equal(await bankMinor(needs), 200n)
})
