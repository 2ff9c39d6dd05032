import assert from 'node:assert/strict'
import { test } from 'node:test'
import { querySchedulesContract } from '#capabilities/search/query-schedules.contract.ts'
import { querySchedules } from '#capabilities/search/query-schedules.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { serve } from '#capabilities/wire/contract.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { makeCallerOf } from '../../../test/support/consent-world.ts'
import { makePlan, processDue } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()
const query = serve(querySchedulesContract, querySchedules)

type Listed = ReturnType<typeof querySchedulesContract.toWire>['members']['Schedule']

async function find(needs: World, caller: Caller, Query: string): Promise<{ text: string; found: Listed }> {
  const answer = await query.answer(needs, caller, { Query })
  assert(answer.ok, answer.ok ? '' : JSON.stringify(answer.refusal))
  return { text: answer.reply.message, found: (answer.reply.members as { Schedule: Listed }).Schedule }
}

async function idsOf(needs: World, caller: Caller, text: string): Promise<readonly number[]> {
  return (await find(needs, caller, text)).found.map(({ ID }) => ID)
}

// Three payments: today, in a month and in two.
async function openPlan(needs = world()) {
  const caller = await makeCallerOf(needs)
  const { consent, schedule } = await makePlan(needs, caller, { RPGUID: 'plan-1' })
  const [first = 0, second = 0, third = 0] = schedule.map(({ SchedID }) => SchedID)
  return { needs, caller, consent, first, second, third }
}

test('the payments of a plan are found with every member, those due last first', async () => {
  const { needs, caller, consent, first, second, third } = await openPlan()
  const { text, found } = await find(needs, caller, `(A=${consent})`)
  assert.equal(text, 'Successfully Returned Schedule Records : 3')
  assert.deepEqual(
    found.map(({ ID, PaymentNum, PaymentAmt, DueOn }) => [ID, PaymentNum, PaymentAmt, DueOn]),
    [
      [third, 3, 33.34, '2027-03-15T00:00:00.000Z'],
      [second, 2, 33.33, '2027-02-15T00:00:00.000Z'],
      [first, 1, 33.33, '2027-01-15T00:00:00.000Z'],
    ],
  )
  const { SchedNum, ...record } = found[2] ?? assert.fail('there are three')
  assert.ok(SchedNum > 0)
  assert.deepEqual(record, {
    ID: first,
    AcctHolderID: consent,
    AcctNo: 1111,
    ConsentID: consent,
    ConsentType: 'R',
    MerchID: 1,
    LastName: 'Example',
    DueOn: '2027-01-15T00:00:00.000Z',
    PaymentAmt: 33.33,
    PaymentNum: 1,
    OfTotalPayment: 100,
    OfTotalPayments: 3,
    Period: 'MONTHLY',
    RPGUID: 'plan-1',
    RStatus: 'S',
    Tries: 0,
    TxID: -1,
  })
})

const letters: readonly [string, string][] = [
  ['(B=1)', '(B=2)'],
  ["(C='1/15/2027')", "(C<'2027-01-15')"],
  ["(D LIKE 'exa%')", "(D='Exam')"],
  ['(E=1)', '(E=2)'],
  ['(F=1111)', "(F='0111')"],
  ['(G>0)', '(G<0)'],
  ['(H=3)', '(H=4)'],
]
for (const [holds, fails] of letters) {
  test(`${holds} finds a payment of a plan that ${fails} does not`, async () => {
    const { needs, caller, first } = await openPlan()
    assert.ok((await idsOf(needs, caller, holds)).includes(first))
    assert.deepEqual(await idsOf(needs, caller, fails), [])
  })
}

test('a paid one is found as such, with its transaction', async () => {
  const { needs, caller, first } = await openPlan()
  const { members } = await processDue(needs, caller)
  const { found } = await find(needs, caller, '(B=2)')
  assert.deepEqual(
    found.map(({ ID, RStatus, TxID, Tries }) => [ID, RStatus, TxID, Tries]),
    [[first, 'P', members.ApprovedPayments[0]?.TxID, 1]],
  )
})

test('a subscription is found by its type', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller, { NumPayments: 0, TotalAmount: 10 })
  const { found } = await find(needs, caller, '(H=4)')
  assert.ok(found.length > 0)
  assert.ok(found.every(({ ConsentID, OfTotalPayments }) => ConsentID === consent && OfTotalPayments === -1))
})

test('nothing of another account or another merchant record is found', async () => {
  const { needs, caller, consent } = await openPlan()
  const strangers = [await makeCallerOf(needs), { ...caller, merchantNumber: merchantNumber(2) }]
  for (const stranger of strangers) {
    for (const text of [`(A=${consent})`, '(G>0)', '(B=-1)||(E=1)']) {
      assert.deepEqual(await idsOf(needs, stranger, text), [], text)
    }
  }
})
