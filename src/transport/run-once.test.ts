import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import { processDuePaymentsContract } from '#capabilities/collection/process-due-payments.contract.ts'
import { processSelectedPaymentsContract } from '#capabilities/collection/process-selected-payments.contract.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import type { Answer } from '#transport/answer.ts'
import { answerOnce } from '#transport/answer-once.ts'
import { bankMinor, impatient } from '../../test/support/consent-world.ts'
import { makePlan, type PlanWish } from '../../test/support/plan-world.ts'
import { makeMerchant, useWorld, type World } from '../../test/support/session-world.ts'
import { openTill, type Till, undo } from '../../test/support/till.ts'

const world = useWorld()

type Approved = { readonly SchedID: number; readonly SEQ: string; readonly TxID: number }
type Members = {
  readonly RespMsg: string
  readonly NumProcessed: number
  readonly NumApproved: number
  readonly NumDeclined: number
  readonly ApprovedPayments: readonly Approved[]
  readonly UnknownPayments: readonly { readonly ErrMsg: string }[]
  readonly NotChargedSchedIDs: readonly number[]
  readonly RunState: string
}
type Told = Answer & { readonly members: Members }

async function call({ needs, caller }: Till, contract: ContractFacts, body: object): Promise<Told> {
  const operation = operations.find((one) => one.contract === contract)
  assert.ok(operation)
  const answer = await answerOnce(needs, operation, { caller, key: 'k-1', body })
  return { ...answer, members: Object(answer.result) }
}

const runDue = (till: Till, MerchID = 1) => call(till, processDuePaymentsContract, { MerchID })
const runNamed = (till: Till, SchedIDs: readonly number[]) =>
  call(till, processSelectedPaymentsContract, { SchedIDs })

async function schedulesOf(till: Till, wish: PlanWish = {}): Promise<readonly number[]> {
  return (await makePlan(till.needs, till.caller, wish)).schedule.map(({ SchedID }) => SchedID)
}

// The same bytes, and the header that says so.
function assertToldAgain(again: Told, first: Told): void {
  assert.equal(first.error, null)
  assert.deepEqual(first.notes, {})
  assert.equal(JSON.stringify(again.result), JSON.stringify(first.result))
  assert.deepEqual(again.notes, { 'Idempotent-Replayed': 'true' })
}

function assertRunning(answer: Told): void {
  assert.deepEqual([answer.error, answer.notes], ['key_running', { 'Retry-After': '1' }])
  assert.equal(answer.members.NumProcessed, 0)
}

// A till whose bank says no word to a charge before it may. Verifications are answered at once.
function withBank(till: Till, mayAnswer: (charge: number) => Promise<unknown>): Till {
  const { acquirer } = till.needs
  let charges = 0
  const authorize: World['acquirer']['authorize'] = async (request, signal) => {
    if (request.amount.minor > 0n) {
      charges += 1
      await mayAnswer(charges)
    }
    return acquirer.authorize(request, signal)
  }
  const engine = paymentEngine({ ...till.needs, acquirer: { ...acquirer, authorize } })
  return { ...till, needs: { ...till.needs, ...engine, clock: till.needs.clock } }
}

const bound = (till: Till, record: number): Till => ({
  ...till,
  caller: { ...till.caller, merchantNumber: merchantNumber(record) },
})

describe('a run whose answer was lost is told again as it was', () => {
  test('with what was approved, in part or in full, and declined, and nothing is charged again', async () => {
    const till = await openTill(world(), { allowsPartialApprovals: true })
    await schedulesOf(till)
    await schedulesOf(till, { NumPayments: 1, TotalAmount: 9900.1 })
    await schedulesOf(till, { card: '4000000000000341' })
    const first = await runDue(till)
    assert.equal(first.members.RespMsg, 'Total Processed: 3 Approved: 2 Declined: 1 Partial: 1')
    const charged = await bankMinor(till.needs)
    assertToldAgain(await runDue(till), first)
    assertToldAgain(await runDue(till), first)
    assert.equal(await bankMinor(till.needs), charged)
  })

  test('with payments that were named, of two records and in the places that they were told', async () => {
    const till = await openTill(world())
    await makeMerchant(till.needs, till.account)
    const one = await schedulesOf(till)
    const two = await schedulesOf(till, { MerchID: 2 })
    await runDue(till)
    const first = await runNamed(till, [two[1] ?? 0, one[1] ?? 0, two[0] ?? 0])
    assert.deepEqual(first.members.ApprovedPayments.map(({ SEQ }) => SEQ).toSorted(), [
      '0001',
      '0002',
      '0002',
    ])
    assertToldAgain(await runNamed(till, [two[1] ?? 0, one[1] ?? 0, two[0] ?? 0]), first)
  })

  test('in the order in which the bank had answered', async () => {
    const shop = await openTill(world())
    const ids = [...(await schedulesOf(shop)), ...(await schedulesOf(shop))]
    const { promise: lastIsAsked, resolve } = Promise.withResolvers<null>()
    const till = withBank(shop, async (charge) => (charge === ids.length ? resolve(null) : lastIsAsked))
    const first = await runNamed(till, ids)
    const transactions = first.members.ApprovedPayments.map(({ TxID }) => TxID)
    assert.equal(transactions.length, ids.length)
    assert.equal(transactions[0], Math.max(...transactions), 'the last one was answered first')
    assertToldAgain(await runNamed(till, ids), first)
  })

  test('however many portions it took, and although some were not charged', async () => {
    const till = await openTill(world(), { verifiesCards: false })
    const ids = await schedulesOf(till, { NumPayments: 300, TotalAmount: 300 })
    const silent = withBank(till, async (charge) => {
      if (charge % 100 === 7) throw new Error('The line broke')
    })
    const first = await runNamed(silent, ids)
    assert.equal(first.members.NumProcessed, 300)
    assert.match(first.members.UnknownPayments[0]?.ErrMsg ?? '', /Do not charge again/)
    const away = { ...till, needs: { ...till.needs, line: { isUp: false, check: async () => undefined } } }
    assertToldAgain(await runNamed(away, ids), first)
  })

  test('also when a payment of it was voided since, or its retry was approved', async () => {
    const till = await openTill(world())
    await schedulesOf(till)
    await schedulesOf(till, { card: '4000000000000341' })
    const first = await runDue(till)
    assert.deepEqual([first.members.NumApproved, first.members.NumDeclined], [1, 1])
    assert.equal((await undo(till, first.members.ApprovedPayments[0]?.TxID ?? 0)).code, 0)
    till.needs.clock.advance({ hours: 48 })
    const later = { ...till, caller: { ...till.caller, callerKey: null } }
    const operation = operations.find(({ contract }) => contract === processDuePaymentsContract)
    const retried = await operation?.answer(later.needs, later.caller, { MerchID: 1 })
    assert.ok(retried?.ok)
    assertToldAgain(await runDue(till), first)
  })
})

test('what was not known is asked for once more by a repeated call, and has the next place', async () => {
  const till = await openTill(impatient(world()))
  till.needs.bank.faults.add({ verb: 'inquire', times: 1, delivery: { losesAnswer: true } })
  await schedulesOf(till, { NumPayments: 1, TotalAmount: 9900.68 })
  await schedulesOf(till, { NumPayments: 1, TotalAmount: 10 })
  const first = await runDue(till)
  assert.deepEqual([first.members.NumProcessed, first.members.NumApproved], [2, 1])
  const again = await runDue(till)
  assert.equal(again.members.RespMsg, 'Total Processed: 2 Approved: 2 Declined: 0 Partial: 0')
  assert.deepEqual(again.members.ApprovedPayments[0], first.members.ApprovedPayments[0])
  assert.deepEqual(
    again.members.ApprovedPayments.map(({ SEQ }) => SEQ),
    ['0001', '0002'],
  )
  assert.equal(await bankMinor(till.needs), 991_068n)
})

test('a run is told as finished, although the database was away for a moment when it ended', async () => {
  const till = await openTill(world())
  await schedulesOf(till)
  const { db, patience } = till.needs
  const faults = [1, 2, 3].map(() => new DatabaseUnavailable('away'))
  const run: World['db']['run'] = async (asked, values) => {
    if (asked.name === 'tell_keyed_run' && faults.length > 0) throw faults.pop()
    return db.run(asked, values)
  }
  const needs = { ...till.needs, patience: { ...patience, recordMs: 20 }, db: { ...db, run } }
  const first = await runDue({ ...till, needs })
  assertToldAgain(await runDue(till), first)
})

describe('while a run goes on, its key', () => {
  test('is told to be running, to those who name payments and to those who do not', async () => {
    const shop = await openTill(world())
    const ids = await schedulesOf(shop)
    for (const run of [runDue, (till: Till) => runNamed(till, ids.slice(1))]) {
      const asked = Promise.withResolvers<void>()
      const told = Promise.withResolvers<void>()
      const till = withBank(shop, async () => {
        asked.resolve()
        await told.promise
      })
      const first = run(till)
      await asked.promise
      assertRunning(await run(till))
      told.resolve()
      assertToldAgain(await run(await first.then(() => till)), await first)
    }
  })

  test('lets one of ten run that come at the same moment', async () => {
    const till = await openTill(world())
    const ids = await schedulesOf(till)
    const answers = await Promise.all(Array.from({ length: 10 }, () => runNamed(till, ids)))
    const ran = answers.filter(({ error, notes }) => error === null && !('Idempotent-Replayed' in notes))
    assert.equal(ran.length, 1)
    for (const { error, result } of answers)
      if (error !== 'key_running') assert.deepEqual(result, ran[0]?.result)
    assert.equal(await bankMinor(till.needs), 10_000n)
  })
})

describe('a key', () => {
  test('is refused with other payments, or another merchant record, and nothing is charged', async () => {
    const till = await openTill(world())
    await makeMerchant(till.needs, till.account)
    const ids = await schedulesOf(till)
    await schedulesOf(till, { MerchID: 2 })
    await runDue(till)
    await runNamed(till, ids.slice(1, 2))
    const charged = await bankMinor(till.needs)
    assert.equal((await runNamed(till, ids.slice(1))).error, 'key_reused')
    assert.equal((await runDue(till, 2)).error, 'key_reused')
    assert.equal(await bankMinor(till.needs), charged)
  })

  test('is not used up by a list that was refused', async () => {
    const till = await openTill(world())
    const ids = await schedulesOf(till)
    assert.equal((await runNamed(till, [999_999_999])).error, 'schedule_not_found')
    assert.equal((await runNamed(till, ids)).members.NumApproved, 3)
  })

  test('is not used up by a run that found nothing', async () => {
    const till = await openTill(world())
    assert.equal((await runDue(till)).members.NumProcessed, 0)
    await schedulesOf(till)
    const first = await runDue(till)
    assert.equal(first.members.NumApproved, 1)
    assertToldAgain(await runDue(till), first)
  })

  test('charges when the acquirer is back, if it could not be reached', async () => {
    const till = await openTill(world())
    const ids = await schedulesOf(till)
    const away = { ...till, needs: { ...till.needs, line: { isUp: false, check: async () => undefined } } }
    const { NotChargedSchedIDs, RunState } = (await runNamed(away, ids)).members
    assert.deepEqual([NotChargedSchedIDs, RunState], [ids, 'CUT_SHORT'])
    const first = await runNamed(till, ids)
    assert.equal(first.members.NumApproved, 3)
    assertToldAgain(await runNamed(till, ids), first)
  })

  test('charges again what was never sent', async () => {
    const till = await openTill(world())
    const ids = await schedulesOf(till)
    const acquirer: World['acquirer'] = {
      ...till.needs.acquirer,
      authorize: async () => ({ kind: 'not_sent' }),
    }
    const needs = { ...till.needs, ...paymentEngine({ ...till.needs, acquirer }), clock: till.needs.clock }
    assert.equal((await runNamed({ ...till, needs }, ids)).members.NotChargedSchedIDs.length, ids.length)
    assert.equal((await runNamed(till, ids)).members.NumApproved, 3)
  })

  test('of a run that broke before anything was charged is as good as new', async () => {
    const till = await openTill(world())
    const ids = await schedulesOf(till)
    const run: World['db']['run'] = (asked, values) =>
      asked.name === 'list_consents'
        ? Promise.reject(new Error('Too slow'))
        : till.needs.db.run(asked, values)
    const broken = { ...till, needs: { ...till.needs, db: { ...till.needs.db, run } } }
    await assert.rejects(runNamed(broken, ids), { message: 'Too slow' })
    assert.equal((await runNamed(till, ids)).members.NumApproved, 3)
  })
})

describe('a token for one merchant record', () => {
  test('hears of the runs of its own record alone', async () => {
    const till = await openTill(world())
    await makeMerchant(till.needs, till.account)
    const ids = await schedulesOf(till)
    const due = await runDue(till)
    assert.equal((await runDue(bound(till, 2))).error, 'merchant_not_found')
    assertToldAgain(await runDue(bound(till, 1)), due)
    const named = await runNamed(till, ids.slice(1))
    assert.equal((await runNamed(bound(till, 2), ids.slice(1))).error, 'schedule_not_found')
    assertToldAgain(await runNamed(bound(till, 1), ids.slice(1)), named)
  })

  test('hears of none that charged payments of several', async () => {
    const till = await openTill(world())
    await makeMerchant(till.needs, till.account)
    const both = [...(await schedulesOf(till, { MerchID: 2 })), ...(await schedulesOf(till))]
    const first = await runNamed(till, both)
    assert.equal((await runNamed(bound(till, 1), both)).error, 'schedule_not_found')
    assertToldAgain(await runNamed(till, both), first)
  })
})
