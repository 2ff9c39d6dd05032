import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelAnnualConsent } from '#capabilities/consents/cancel-annual-consent.operation.ts'
import type { Cancellation } from '#capabilities/consents/cancel-consent.operation.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { cancelRecurringConsentContract } from '#capabilities/recurring/cancel-recurring-consent.contract.ts'
import { cancelRecurringConsent } from '#capabilities/recurring/cancel-recurring-consent.operation.ts'
import { refusedEnvelope } from '#capabilities/wire/envelope.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { eventsOf, impatient, makeCallerOf, makeConsent, rowOf } from '../../../test/support/consent-world.ts'
import { instalmentsOf, makePlan, processDue } from '../../../test/support/plan-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

const cancellation = (id: number): Cancellation => ({ consentId: consentId(BigInt(id)) })

test('a cancelled consent loses its card, and its scheduled payments are cancelled with it', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller)
  await processDue(needs, caller)
  const result = await cancelRecurringConsent(needs, caller, cancellation(consent))
  assert.ok(result.ok)
  const { message, members } = cancelRecurringConsentContract.toWire(result.value)
  assert.equal(message, `Successfully DISBALED ConsentID ${consent} : Card Number Removed`)
  assert.deepEqual(members, { CancelSuccess: true, CancelledConsentID: consent })
  const rows = await instalmentsOf(needs.db, consent)
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['paid', 'cancelled', 'cancelled'],
  )
  assert.equal((await rowOf(needs.db, consentId(BigInt(consent)))).is_card_readable, false)
  assert.ok((await eventsOf(needs.db, caller)).includes('consent.cancelled'))
  const again = await cancelRecurringConsent(needs, caller, cancellation(consent))
  assert.ok(!again.ok)
  assert.equal(again.refusal.kind, 'consent_cancelled')
  assert.deepEqual(cancelRecurringConsentContract.refusedToWire(again.refusal.known ?? null), {
    CancelSuccess: false,
    CancelledConsentID: consent,
  })
})

test('each call ends consents of its own kind, and says which kind the other one is', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller)
  const kept = await cancelAnnualConsent(needs, caller, cancellation(consent))
  assert.ok(!kept.ok)
  assert.equal(
    refusedEnvelope(kept.refusal).RespMsg,
    `There is no consent ${consent} of this kind: it belongs to a payment plan`,
  )
  assert.ok((await instalmentsOf(needs.db, consent)).every(({ state }) => state === 'scheduled'))
  const annual = Number(await makeConsent(needs, caller))
  const refused = await cancelRecurringConsent(needs, caller, cancellation(annual))
  assert.ok(!refused.ok)
  assert.equal(
    refusedEnvelope(refused.refusal).RespMsg,
    `There is no consent ${annual} of this kind: it has no payment plan`,
  )
})

test('a payment whose outcome is open keeps its outcome, and a decline is not tried again', async () => {
  const needs = impatient(world())
  needs.bank.faults.add({ verb: 'inquire', times: 1, delivery: { losesAnswer: true } })
  needs.bank.faults.add({ verb: 'authorize', times: 2, delivery: { losesAnswer: true } })
  const caller = await makeCallerOf(needs, { verifiesCards: false })
  const { consent } = await makePlan(needs, caller, { NumPayments: 1, card: '4000000000000341' })
  await processDue(needs, caller)
  assert.equal((await instalmentsOf(needs.db, consent))[0]?.state, 'charging')
  assert.ok((await cancelRecurringConsent(needs, caller, cancellation(consent))).ok)
  needs.clock.advance({ minutes: 2 })
  await recoverAttempts(needs)
  const [row] = await instalmentsOf(needs.db, consent)
  assert.deepEqual(
    [row?.state, row?.because],
    ['cancelled', 'Declined 05; the plan is cancelled, so it is not tried again'],
  )
})
