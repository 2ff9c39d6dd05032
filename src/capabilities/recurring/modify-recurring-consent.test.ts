import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modifyRecurringConsentContract } from '#capabilities/recurring/modify-recurring-consent.contract.ts'
import { modifyRecurringConsent } from '#capabilities/recurring/modify-recurring-consent.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { WireOf } from '#capabilities/wire/scalars.wire.ts'
import { eventsOf, makeCallerOf, makeConsent, rowOf } from '../../../test/support/consent-world.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { instalmentsOf, makePlan, processDue } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

type Mods = WireOf<typeof modifyRecurringConsentContract.request>['ConsentMods']

async function modify(needs: World, caller: Caller, ConsentID: number, ConsentMods: Mods) {
  const input = modifyRecurringConsentContract.fromWire({ ConsentID, ConsentMods }, caller)
  assert.ok(input.ok)
  const result = await modifyRecurringConsent(needs, caller, input.value)
  return result.ok ? modifyRecurringConsentContract.toWire(result.value).message : result.refusal.kind
}

test('a new payment amount counts for all that are still scheduled', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller)
  await processDue(needs, caller)
  assert.equal(
    await modify(needs, caller, consent, { PaymentAmt: 40, Email: 'ann@example.com' }),
    `Success : Modified Consent ID : ${consent}`,
  )
  const rows = await instalmentsOf(needs.db, consent)
  assert.deepEqual(
    rows.map(({ amount_minor }) => amount_minor),
    [3_333n, 4_000n, 4_000n],
  )
  assert.ok((await eventsOf(needs.db, caller)).includes('consent.changed'))
})

test('a new payment amount is refused where no payment is scheduled any more', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller, { NumPayments: 1 })
  await processDue(needs, caller)
  assert.equal(await modify(needs, caller, consent, { PaymentAmt: 40 }), 'value_out_of_range')
})

test('a new expiry never cuts a plan short', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller)
  await modify(needs, caller, consent, { ExpMonth: 3, ExpYear: 27 })
  assert.equal((await rowOf(needs.db, consentId(BigInt(consent)))).ends_on, '9999-12-31')
})

test('nothing given changes nothing, and a third decimal is refused whole', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const { consent } = await makePlan(needs, caller)
  const before = await instalmentsOf(needs.db, consent)
  await modify(needs, caller, consent, { PaymentAmt: 0, ExpMonth: -1, Zip: '' })
  assert.equal(await modify(needs, caller, consent, { PaymentAmt: 1.005, Zip: '1' }), 'value_out_of_range')
  assert.equal(await modify(needs, caller, consent, { PaymentAmt: 100_001 }), 'value_out_of_range')
  assert.deepEqual(await instalmentsOf(needs.db, consent), before)
})

test('a consent of another kind, of another account or of nobody is not found', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const annual = Number(await makeConsent(needs, caller))
  const foreign = (await makePlan(needs, await makeCallerOf(needs))).consent
  for (const id of [annual, foreign, 999_999_999]) {
    assert.equal(await modify(needs, caller, id, { Zip: '1' }), 'consent_not_found')
  }
})
