import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentId } from '#capabilities/consents/consent.ts'
import { showPlan } from '#capabilities/recurring/show-plan.operation.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { makeCallerOf, makeConsent } from '../../../test/support/consent-world.ts'
import { advanceTo, makePlan, processDue } from '../../../test/support/plan-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

test('a plan shows what happened to it, what comes next, and why', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller, { card: '4000000000009268', NumPayments: 2 })
  await processDue(needs, caller)
  advanceTo(needs, '2027-01-16T15:00:00Z')
  await processDue(needs, caller)
  const shown = await showPlan(needs, consentId(BigInt(consent)))
  assert.deepEqual(
    shown?.history.map(({ what, because, nextOn }) => [what, because, nextOn?.toString() ?? null]),
    [
      ['created', '2 payments, MONTHLY from 2027-01-15', '2027-01-15'],
      ['declined', 'Declined 51: retry 1 of 4 on 2027-01-16', '2027-01-16'],
      ['declined', 'Declined 51: retry 2 of 4 on 2027-01-18', '2027-01-18'],
    ],
  )
  assert.deepEqual([shown?.next?.paymentNumber, shown?.next?.attemptOn.toString()], [1, '2027-01-18'])
})

test('a payment that nobody collects is told as such, and by how much it is overdue', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller, {})
  const seen = async () => {
    const shown = await showPlan(needs, consentId(BigInt(consent)))
    return [shown?.isCollected, shown?.overdueDays]
  }
  assert.deepEqual(await seen(), [true, 0])
  const changes = { collectsAutomatically: false }
  await changeMerchant(needs, { account: caller.accountId, merchant: merchantNumber(1), changes })
  advanceTo(needs, '2027-01-18T15:00:00Z')
  assert.deepEqual(await seen(), [false, 3])
})

test('a consent without a plan has none to show', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  assert.equal(await showPlan(needs, await makeConsent(needs, caller)), null)
})
