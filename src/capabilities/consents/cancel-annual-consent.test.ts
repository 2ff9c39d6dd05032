import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelAnnualConsentContract } from '#capabilities/consents/cancel-annual-consent.contract.ts'
import { cancelAnnualConsent } from '#capabilities/consents/cancel-annual-consent.operation.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { removeAbandonedConsents } from '#capabilities/consents/remove-abandoned-consents.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import {
  callerKey,
  charge,
  eventsOf,
  impatient,
  makeCaller,
  makeCallerOf,
  makeConsent,
  rowOf,
  told,
  unfinishedOf,
} from '../../../test/support/consent-world.ts'
import { makeAccount, useWorld } from '../../../test/support/session-world.ts'
import { call, openTill } from '../../../test/support/till.ts'
import { errorCodes } from '#capabilities/wire/error-codes.ts'

const world = useWorld()

test('a cancelled consent loses its card at once and can never be charged again', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  await charge(needs, caller, consent, { Amounts: 1 })
  const result = await cancelAnnualConsent(needs, caller, { consentId: consent })
  assert.ok(result.ok)
  const { message, members } = cancelAnnualConsentContract.toWire(result.value)
  assert.equal(message, `Successfully DISBALED ConsentID ${consent} : Card Number Removed`)
  assert.deepEqual(members, { CancelSuccess: true, CancelledConsentID: Number(consent) })
  const row = await rowOf(needs.db, consent)
  assert.deepEqual([row.state, row.is_card_readable], ['cancelled', false])
  assert.equal(told(await charge(needs, caller, consent, { Amounts: 1 })).refusal, 'consent_cancelled')
  const events = await eventsOf(needs.db, caller)
  assert.deepEqual(events, ['consent.created', 'payment.approved', 'consent.cancelled'])
  assert.deepEqual(await unfinishedOf(needs.db, caller), [])
})

test('cancelling twice is refused, also at once', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  const results = await Promise.all(
    Array.from({ length: 8 }, () => cancelAnnualConsent(needs, caller, { consentId: consent })),
  )
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  const refusals = results.flatMap((result) => (result.ok ? [] : [result.refusal.kind]))
  assert.deepEqual(new Set(refusals), new Set(['consent_cancelled']))
  assert.deepEqual(await eventsOf(needs.db, caller), ['consent.created', 'consent.cancelled'])
})

test('a second cancel names the consent, and one that is not found names none', async () => {
  const till = await openTill(world())
  const ConsentID = Number(await makeConsent(till.needs, till.caller))
  const cancel = (id: number) => call(till, 'ConsentAnnual/Cancel', { ConsentID: id })
  const done = { CancelSuccess: true, CancelledConsentID: ConsentID }
  assert.deepEqual((await cancel(ConsentID)).members, done)
  const again = await cancel(ConsentID)
  assert.deepEqual(again, {
    code: errorCodes.consent_cancelled.code,
    text: `Consent ${ConsentID} is cancelled`,
    members: { CancelSuccess: false, CancelledConsentID: ConsentID },
  })
  const missing = await cancel(999_999_999)
  assert.equal(missing.code, errorCodes.consent_not_found.code)
  assert.deepEqual(missing.members, { CancelSuccess: false, CancelledConsentID: 0 })
})

test('a consent of another account, of another record or of nobody is not found', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const consent = await makeConsent(needs, await makeCaller(needs, account))
  const strangers = [await makeCallerOf(needs), await makeCaller(needs, account, { merchant: 2 })]
  for (const stranger of strangers) {
    const result = await cancelAnnualConsent(needs, stranger, { consentId: consent })
    assert.equal(result.ok ? '' : result.refusal.kind, 'consent_not_found')
  }
  const missing = await cancelAnnualConsent(needs, await makeCallerOf(needs), {
    consentId: consentId(999_999_999n),
  })
  assert.equal(missing.ok ? '' : missing.refusal.kind, 'consent_not_found')
  assert.equal((await rowOf(needs.db, consent)).state, 'active')
})

test('while an outcome on the card is open, the card goes as soon as it is known', async () => {
  const needs = impatient(world())
  needs.bank.faults.add({ verb: 'inquire', times: 1, delivery: { losesAnswer: true } })
  const caller = { ...(await makeCallerOf(needs)), callerKey: callerKey('open') }
  const consent = await makeConsent(needs, { ...caller, callerKey: null })
  assert.equal(told(await charge(needs, caller, consent, { Amounts: 9900.68 })).refusal, 'outcome_unknown')
  assert.ok((await cancelAnnualConsent(needs, caller, { consentId: consent })).ok)
  await removeAbandonedConsents(needs)
  const waiting = await rowOf(needs.db, consent)
  assert.deepEqual([waiting.state, waiting.is_card_readable], ['cancelled', true])
  needs.clock.advance({ minutes: 2 })
  await recoverAttempts(needs)
  assert.equal(await removeAbandonedConsents(needs), 1)
  assert.equal((await rowOf(needs.db, consent)).is_card_readable, false)
  assert.deepEqual(await unfinishedOf(needs.db, caller), [])
})

test('after three days the card goes, whatever the bank says', async () => {
  const needs = impatient(world())
  needs.bank.faults.add({ verb: 'inquire', delivery: { losesAnswer: true } })
  const caller = { ...(await makeCallerOf(needs)), callerKey: callerKey('never') }
  const consent = await makeConsent(needs, { ...caller, callerKey: null })
  assert.equal(told(await charge(needs, caller, consent, { Amounts: 9900.68 })).refusal, 'outcome_unknown')
  assert.ok((await cancelAnnualConsent(needs, caller, { consentId: consent })).ok)
  needs.clock.advance({ hours: 72 })
  await removeAbandonedConsents(needs)
  assert.equal((await rowOf(needs.db, consent)).is_card_readable, false)
})
