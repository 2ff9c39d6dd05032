import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AcquirerAnswer } from '#engine/acquirers/acquirer-answer.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { chargesAt } from '../../../test/support/link-world.ts'
import { instalmentsOf, makePlan, processDue } from '../../../test/support/plan-world.ts'
import { backUpAll } from '../../../test/support/restored-database.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { call, openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()

async function openPlan() {
  const till = await openTill(world(), { verifiesCards: false })
  const { schedule, consent } = await makePlan(till.needs, till.caller, { NumPayments: 1 })
  return { till, consent, SchedID: schedule[0]?.SchedID ?? 0, restore: await backUpAll(till) }
}

function run({ needs, caller }: Till) {
  return processDue(needs, caller)
}

// The same till over another line to the same bank.
function over(till: Till, line: Partial<World['acquirer']>): Till {
  const acquirer = { ...till.needs.acquirer, ...line }
  const { clock } = till.needs
  return { ...till, needs: { ...till.needs, ...paymentEngine({ ...till.needs, acquirer }), clock } }
}

const notSent: AcquirerAnswer = { kind: 'not_sent' }

// A run that has prepared the payment when its merchant changes the amount.
function overtaken(till: Till, SchedID: number, PaymentAmount: number): Till {
  const { attempts } = till.needs.bulk
  const add: typeof attempts.add = async (attempt) => {
    const told = await call(till, 'RecurringSchedule/Modify', { SchedID, PaymentAmount })
    assert.equal(told.code, 0, told.text)
    return attempts.add(attempt)
  }
  return { ...till, needs: { ...till.needs, bulk: { ...till.needs.bulk, attempts: { add } } } }
}

async function stateOf({ needs }: Till, consent: number) {
  const [row] = await instalmentsOf(needs.db, consent)
  return [row?.state, row?.amount_minor]
}

describe('after a restore, a payment of a plan that the bank has made is not made again', () => {
  test('when it was charged at its second try, and the first one never left', async () => {
    const { till, consent, restore } = await openPlan()
    await run(over(till, { authorize: async () => notSent }))
    assert.equal((await run(till)).members.NumApproved, 1)
    await restore()
    assert.equal((await run(till)).members.NumApproved, 0)
    assert.equal((await run(till)).members.NumApproved, 1)
    assert.deepEqual(await chargesAt(till), [10_000n])
    assert.deepEqual(await stateOf(till, consent), ['paid', 10_000n])
  })

  test('when it was charged after its amount had changed under a run', async () => {
    const { till, SchedID, consent, restore } = await openPlan()
    await run(overtaken(till, SchedID, 50))
    assert.equal((await run(till)).members.NumApproved, 1)
    await restore()
    for (const _ of [1, 2]) await run(till)
    // The smaller charge is taken back before the payment is tried as it stands now.
    await recoverAttempts(till.needs)
    assert.deepEqual(await chargesAt(till), [])
    till.needs.clock.advance({ hours: 24 })
    await run(till)
    assert.deepEqual(await chargesAt(till), [10_000n])
    assert.deepEqual(await stateOf(till, consent), ['paid', 10_000n])
  })

  test('when it was charged with another amount, which the restore has taken back', async () => {
    const { till, SchedID, consent, restore } = await openPlan()
    await call(till, 'RecurringSchedule/Modify', { SchedID, PaymentAmount: 150 })
    assert.equal((await run(till)).members.NumApproved, 1)
    await restore()
    for (const _ of [1, 2]) await run(till)
    assert.deepEqual(await chargesAt(till), [15_000n])
    assert.deepEqual(await stateOf(till, consent), ['charging', 10_000n])
  })
})

describe('a try of which we are sure that it never left', () => {
  test('is taken back before the next one when it arrived after all', async () => {
    const { till, consent } = await openPlan()
    const { acquirer } = till.needs
    const authorize: typeof acquirer.authorize = async (request, signal) => {
      await acquirer.authorize(request, signal)
      return notSent
    }
    await run(over(till, { authorize }))
    assert.equal((await run(till)).members.NumApproved, 1)
    assert.deepEqual(await chargesAt(till), [10_000n])
    assert.deepEqual(await stateOf(till, consent), ['paid', 10_000n])
  })

  test('keeps the next one waiting while the bank has not closed it', async () => {
    const { till, consent } = await openPlan()
    await run(over(till, { authorize: async () => notSent }))
    const unheard = { kind: 'unknown', because: 'timeout' } as const
    await run(over(till, { reverse: async () => unheard }))
    assert.deepEqual(await chargesAt(till), [])
    assert.deepEqual(await stateOf(till, consent), ['scheduled', 10_000n])
    assert.equal((await run(till)).members.NumApproved, 1)
  })

  test('ends in a decline as a duplicate when the bank has settled it', async () => {
    const { till } = await openPlan()
    await run(over(till, { authorize: async () => notSent }))
    const told = await run(over(till, { reverse: async () => ({ kind: 'refused', code: '12' }) }))
    assert.equal(told.members.NumDeclined, 1)
    assert.deepEqual(await chargesAt(till), [])
  })
})
