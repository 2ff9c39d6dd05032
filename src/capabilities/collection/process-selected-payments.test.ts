import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { processSelectedPaymentsContract } from '#capabilities/collection/process-selected-payments.contract.ts'
import { closeBankDaysWork } from '#capabilities/international/close-bank-days.task.ts'
import { instalmentId } from '#capabilities/recurring/instalment.ts'
import { modifyScheduledPayment } from '#capabilities/recurring/modify-scheduled-payment.operation.ts'
import { requestReader } from '#capabilities/wire/read-request.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { int4, int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { bankMinor, makeCaller, makeCallerOf } from '../../../test/support/consent-world.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { international, openShop } from '../../../test/support/order-world.ts'
import {
  advanceTo,
  instalmentsOf,
  makePlan,
  processDue,
  processSelected,
} from '../../../test/support/plan-world.ts'
import { makeAccount, makeMerchant, useWorld, type World } from '../../../test/support/session-world.ts'
import {
  credit,
  openTill,
  sell,
  settleAll,
  settleSome,
  type Till,
  useTerminal,
} from '../../../test/support/till.ts'

const world = useWorld()

const triedTooOften = 'tried 21 times, and Visa allows no more'
const setTriesStatement = statement(
  'test_set_tries',
  [int8, int4],
  {},
  `update instalment set tries = $2, attempts = $2 where instalment_id = $1`,
)

test('exactly the named payments are charged, due or not', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { schedule, consent } = await makePlan(needs, caller, { StartDate: '2027-03-31' })
  const ids = schedule.map(({ SchedID }) => SchedID)
  const { message, members } = await processSelected(needs, caller, [ids[2] ?? 0, ids[0] ?? 0])
  assert.equal(message, 'Total Processed: 2 Approved: 2 Declined: 0 Partial: 0')
  assert.deepEqual(
    members?.ApprovedPayments.map(({ SchedID }) => SchedID).toSorted((left, right) => left - right),
    [ids[0], ids[2]],
  )
  const rows = await instalmentsOf(needs.db, consent)
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['paid', 'scheduled', 'paid'],
  )
})

describe('the whole list is refused, and nothing is charged, because of', () => {
  const cases: readonly (readonly [string, (own: readonly number[], foreign: number) => number[], string])[] =
    [
      ['one of another account', ([first = 0], foreign) => [first, foreign], 'schedule_not_found'],
      ['one of nobody', ([first = 0]) => [first, 999_999_999], 'schedule_not_found'],
      [
        'one that is listed twice',
        ([first = 0, second = 0]) => [first, second, first],
        'schedule_listed_twice',
      ],
      ['one that is paid', ([first = 0, , third = 0]) => [first, third], 'schedule_not_open'],
    ]
  for (const [sentence, choose, kind] of cases) {
    test(sentence, async () => {
      const needs = world()
      const caller = await makeCallerOf(needs)
      const ids = (await makePlan(needs, caller)).schedule.map(({ SchedID }) => SchedID)
      const [foreign] = (await makePlan(needs, await makeCallerOf(needs))).schedule
      await processSelected(needs, caller, [ids[2] ?? 0])
      const before = await bankMinor(needs)
      const answer = await processSelected(needs, caller, choose(ids, foreign?.SchedID ?? 0))
      assert.equal(answer.refusal, kind)
      assert.equal(await bankMinor(needs), before)
    })
  }

  const read = requestReader(processSelectedPaymentsContract.request)
  test('no payment at all', () => {
    const body = read({ SchedIDs: [] })
    assert.ok(!body.ok)
    assert.deepEqual(
      [body.refusal.kind, body.refusal.details['problem']],
      ['value_out_of_range', 'SchedIDs is empty'],
    )
  })

  test('more than 10,000 of them', () => {
    const ids = Array.from({ length: 10_001 }, (_, at) => at + 1)
    assert.ok(read({ SchedIDs: ids.slice(1) }).ok)
    const body = read({ SchedIDs: ids })
    assert.ok(!body.ok)
    assert.equal(body.refusal.details['problem'], 'SchedIDs has more than 10000 items')
  })

  test('one of a merchant record that is not of this token', async () => {
    const needs = world()
    const account = await makeAccount(needs)
    const { schedule } = await makePlan(needs, await makeCaller(needs, account))
    const stranger = await makeCaller(needs, account, { merchant: 2 })
    const answer = await processSelected(needs, stranger, [schedule[0]?.SchedID ?? 0])
    assert.equal(answer.refusal, 'schedule_not_found')
  })
})

test('one whose retries are used up may be asked for once more, one declined for good may not', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const soft = await makePlan(needs, caller, { NumPayments: 1, card: '4000000000000341' })
  for (const day of ['15', '16', '18', '20', '22']) {
    advanceTo(needs, `2027-01-${day}T15:00:00Z`)
    await processDue(needs, caller)
  }
  assert.equal((await instalmentsOf(needs.db, soft.consent))[0]?.state, 'failed')
  const again = await processSelected(needs, caller, [soft.schedule[0]?.SchedID ?? 0])
  assert.equal(again.members?.NumDeclined, 1)
  const [row] = await instalmentsOf(needs.db, soft.consent)
  assert.deepEqual([row?.state, row?.tries], ['failed', 6])
  const stopped = await makePlan(needs, caller, { NumPayments: 1, card: '4000000000009235' })
  await processDue(needs, caller)
  const never = await processSelected(needs, caller, [stopped.schedule[0]?.SchedID ?? 0])
  assert.equal(never.refusal, 'schedule_not_open')
})

test('nobody gets more tries out of a network than it allows, by name or on another day', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const wish = { NumPayments: 1, card: '4000000000000341', StartDate: '2027-06-01' }
  const { consent, schedule } = await makePlan(needs, caller, wish)
  const id = schedule[0]?.SchedID ?? 0
  await needs.db.run(setTriesStatement, [BigInt(id), 20])
  const last = await processSelected(needs, caller, [id])
  assert.equal(last.members?.NumDeclined, 1)
  const before = await instalmentsOf(needs.db, consent)
  assert.deepEqual([before[0]?.state, before[0]?.tries], ['failed', 21])
  assert.equal(before[0]?.because, 'Declined 05: Visa allows 21 tries')
  const named = await processSelected(needs, caller, [id])
  assert.deepEqual([named.refusal, named.state], ['schedule_not_open', triedTooOften])
  const change = { instalmentId: instalmentId(BigInt(id)), amount: null }
  const dueOn = Temporal.PlainDate.from('2027-07-01')
  const moved = await modifyScheduledPayment(needs, caller, {
    ...change,
    dueOn,
    names: { amount: 'amount', dueOn: 'day' },
  })
  assert.equal(moved.ok ? '' : moved.refusal.details['state'], triedTooOften)
  assert.deepEqual(await instalmentsOf(needs.db, consent), before)
})

test('one whose retries are used up stays failed when the bank cannot be reached', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent, schedule } = await makePlan(needs, caller, { NumPayments: 1, card: '4000000000000341' })
  for (const day of ['15', '16', '18', '20', '22']) {
    advanceTo(needs, `2027-01-${day}T15:00:00Z`)
    await processDue(needs, caller)
  }
  const id = schedule[0]?.SchedID ?? 0
  const acquirer: World['acquirer'] = { ...needs.acquirer, authorize: async () => ({ kind: 'not_sent' }) }
  const cutOff = { ...needs, ...paymentEngine({ ...needs, acquirer }), clock: needs.clock }
  const { members } = await processSelected(cutOff, caller, [id])
  assert.deepEqual([members?.NotChargedSchedIDs, members?.RunState], [[id], 'FINISHED'])
  const [row] = await instalmentsOf(needs.db, consent)
  assert.deepEqual([row?.state, row?.tries], ['failed', 5], 'what never reached the bank is no try')
  needs.clock.advance({ hours: 48 })
  assert.equal((await processDue(needs, caller)).members.NumProcessed, 0, 'nobody tries it by himself')
  const again = await processSelected(needs, caller, [id])
  assert.equal(again.members?.NumDeclined, 1, 'and it may be asked for once more')
})

test('one that another run has at the moment is named as not charged', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const ids = (await makePlan(needs, caller)).schedule.map(({ SchedID }) => SchedID)
  const [first = 0, second = 0] = ids
  const asked: (readonly number[] | undefined)[] = []
  const add: World['attempts']['add'] = async (attempt) => {
    const { members } = await processSelected(needs, caller, [first, second])
    asked.push(members?.NotChargedSchedIDs)
    return needs.bulk.attempts.add(attempt)
  }
  const run = { ...needs, bulk: { ...needs.bulk, attempts: { add } } }
  assert.equal((await processDue(run, caller)).members.NumApproved, 1)
  assert.deepEqual(asked, [[first]])
})

test('one that could not be recorded may be asked for again at once', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const [payment] = (await makePlan(needs, caller)).schedule
  const attempts: World['attempts'] = { add: () => Promise.reject(new Error('The database does not answer')) }
  const broken = { ...needs, bulk: { ...needs.bulk, attempts } }
  const id = payment?.SchedID ?? 0
  const { members } = await processSelected(broken, caller, [id])
  assert.deepEqual([members?.NotChargedSchedIDs, members?.RunState], [[id], 'FINISHED'])
  assert.equal((await processSelected(needs, caller, [id])).members?.NumApproved, 1)
})

// The place of one more payment, which is charged now.
async function placeOfNext({ needs, caller }: Till, record = 1): Promise<string | undefined> {
  const [payment] = (await makePlan(needs, caller, { MerchID: record, NumPayments: 1 })).schedule
  const { members } = await processSelected(needs, caller, [payment?.SchedID ?? 0])
  return members?.ApprovedPayments[0]?.SEQ
}

describe('the place in the open batch', () => {
  test('is counted for each merchant record by itself', async () => {
    const needs = world()
    const account = await makeAccount(needs)
    await makeMerchant(needs, account)
    const caller = await makeCaller(needs, account)
    const one = (await makePlan(needs, caller)).schedule.map(({ SchedID }) => SchedID)
    const two = (await makePlan(needs, caller, { MerchID: 2 })).schedule.map(({ SchedID }) => SchedID)
    await processSelected(needs, caller, one.slice(0, 2))
    const { members } = await processSelected(needs, caller, [one[2] ?? 0, two[0] ?? 0])
    const told = members?.ApprovedPayments.map(({ MerchID, SEQ }) => `${MerchID} ${SEQ}`)
    assert.deepEqual(told?.toSorted(), ['1 0003', '2 0001'])
  })

  test('begins anew after a settlement, and counts what was left out of it', async () => {
    const till = await openTill(world())
    const sale = await sell(till, 10)
    assert.deepEqual([await placeOfNext(till), await placeOfNext(till)], ['0002', '0003'])
    assert((await settleAll(till)).isApproved)
    assert.equal(await placeOfNext(till), '0001')
    assert.equal((await credit(till, sale, 4)).code, 0)
    assert.equal(await placeOfNext(till), '0003', 'after a payment and a credit')
    assert((await settleSome(till, [await sell(till, 10)])).isApproved)
    assert.equal(await placeOfNext(till), '0004')
  })

  test('begins anew after a batch that was rejected, because that one takes nothing more', async () => {
    const till = await openTill(world())
    assert.equal(await placeOfNext(till), '0001')
    await useTerminal(till, 'REJECT-1')
    assert(!(await settleAll(till)).isApproved)
    assert.deepEqual([await placeOfNext(till), await placeOfNext(till)], ['0001', '0002'])
  })

  test('of an international record begins anew after the bank cut-off', async () => {
    const shop = await openShop(world())
    const { needs, account } = shop
    assert.deepEqual(
      [await placeOfNext(shop, international), await placeOfNext(shop, international)],
      ['0001', '0002'],
    )
    needs.clock.advance({ hours: 24 })
    await runDueNow(needs, closeBankDaysWork, account.accountId)
    assert.equal(await placeOfNext(shop, international), '0001')
  })

  test('holds up no payment when it cannot be found', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const [payment] = (await makePlan(needs, caller)).schedule
    const db: World['db'] = {
      ...needs.db,
      run: (asked, values) =>
        asked.name === 'count_open_payments'
          ? Promise.reject(new Error('It took too long'))
          : needs.db.run(asked, values),
    }
    const { members } = await processSelected({ ...needs, db }, caller, [payment?.SchedID ?? 0])
    assert.deepEqual([members?.NumApproved, members?.ApprovedPayments[0]?.SEQ], [1, '0001'])
  })
})
