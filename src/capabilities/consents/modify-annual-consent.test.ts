import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelAnnualConsent } from '#capabilities/consents/cancel-annual-consent.operation.ts'
import type { ConsentId } from '#capabilities/consents/consent.ts'
import { modifyAnnualConsentContract } from '#capabilities/consents/modify-annual-consent.contract.ts'
import { modifyAnnualConsent } from '#capabilities/consents/modify-annual-consent.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { requestReader } from '#capabilities/wire/read-request.ts'
import {
  charge,
  eventsOf,
  makeCaller,
  makeCallerOf,
  makeConsent,
  rowOf,
  told,
} from '../../../test/support/consent-world.ts'
import { makeAccount, useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()
type Body = Parameters<typeof modifyAnnualConsentContract.fromWire>[0]

async function modify(needs: World, caller: Caller, consent: ConsentId, ConsentMods: Body['ConsentMods']) {
  const input = modifyAnnualConsentContract.fromWire({ ConsentID: Number(consent), ConsentMods }, caller)
  if (!input.ok) return input.refusal.kind
  const result = await modifyAnnualConsent(needs, caller, input.value)
  return result.ok ? modifyAnnualConsentContract.toWire(result.value).message : result.refusal.kind
}

test('whoever says again what holds already changes nothing, and nobody is told of it', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const creator = { CustomerRefID: 'C-1', LimitPerCharge: 20, NumDays: 30 }
  const consent = await makeConsent(needs, caller, { creator })
  const message = `Success : Modified Consent ID : ${consent}`
  const repetitions = [{}, { LimitPerCharge: -1 }, creator, { CustomerRefID: 'C-1', Email: '' }]
  for (const mods of repetitions) assert.equal(await modify(needs, caller, consent, mods), message)
  assert.deepEqual(await eventsOf(needs.db, caller), ['consent.created'])
  for (const mods of [{ LimitPerCharge: 21 }, { NumDays: 31 }, { Zip: '46205' }, { ExpYear: 2031 }])
    await modify(needs, caller, consent, mods)
  const changed = (await eventsOf(needs.db, caller)).filter((type) => type === 'consent.changed')
  assert.equal(changed.length, 4)
})

test('an expiry that is none is refused with the names of its members', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const ConsentID = Number(await makeConsent(needs, caller))
  const body = { ConsentID, ConsentMods: { ExpYear: 150 } }
  const input = modifyAnnualConsentContract.fromWire(body, caller)
  assert(input.ok)
  const refused = await modifyAnnualConsent(needs, caller, input.value)
  assert(!refused.ok)
  const problem = 'ConsentMods.ExpMonth and ConsentMods.ExpYear are no month and year'
  assert.deepEqual([refused.refusal.kind, refused.refusal.details['problem']], ['invalid_card', problem])
})

test('references and limits change, and the next charge shows it', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller, { creator: { CustomerRefID: 'C-1' } })
  const message = await modify(needs, caller, consent, {
    CustomerRefID: 'C-2',
    ServiceDescrip: 'Lessons',
    RPGUID: 'G-2',
    Zip: '46205',
    LimitPerCharge: 20,
  })
  assert.equal(message, `Success : Modified Consent ID : ${consent}`)
  assert.equal(told(await charge(needs, caller, consent, { Amounts: 21 })).refusal, 'over_limit_per_charge')
  const result = await charge(needs, caller, consent, { Amounts: 20 })
  assert.ok(result.ok)
  const { clientRef, service, guid } = result.value.details
  assert.deepEqual([clientRef, service, guid, result.value.avs], ['C-2', 'Lessons', 'G-2', 'N'])
  const events = await eventsOf(needs.db, caller)
  assert.deepEqual(events, ['consent.created', 'consent.changed', 'payment.approved'])
})

test('empty texts, 0, -1 and absent members leave everything as it is', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const creator = { CustomerRefID: 'C-1', LimitPerCharge: 30, NumDays: 90 }
  const consent = await makeConsent(needs, caller, { creator })
  const before = await rowOf(needs.db, consent)
  const nothing = { ExpMonth: -1, ExpYear: 0, Email: '', Zip: '-1', CustomerRefID: '-1', NumDays: -1 }
  await modify(needs, caller, consent, { ...nothing, LimitPerCharge: -1, LimitLifeTime: 0 })
  await modify(needs, caller, consent, {})
  assert.deepEqual(await rowOf(needs.db, consent), before)
  assert.equal(told(await charge(needs, caller, consent, { Amounts: 31 })).refusal, 'over_limit_per_charge')
  const result = await charge(needs, caller, consent, { Amounts: 30 })
  assert.ok(result.ok)
  assert.deepEqual([result.value.details.clientRef, result.value.avs], ['C-1', 'Y'])
})

test('the text -1 is read as a number where a limit is meant', () => {
  const body = { ConsentID: 1, ConsentMods: { LimitLifeTime: '-1', ExpYear: -1 } }
  const read = requestReader(modifyAnnualConsentContract.request)(body)
  assert.ok(read.ok)
  assert.deepEqual(read.value, { ConsentID: 1, ConsentMods: { LimitLifeTime: -1, ExpYear: -1 } })
})

test('a limit below what is used lets nothing more through', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  await charge(needs, caller, consent, { Amounts: 100 })
  await modify(needs, caller, consent, { LimitLifeTime: 50 })
  assert.equal(told(await charge(needs, caller, consent, { Amounts: 0.01 })).refusal, 'over_lifetime_limit')
  assert.equal((await rowOf(needs.db, consent)).used_minor, 10_000n)
})

test('the end moves with days and expiry, and never past the expiry', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller, { card: { ExpMonth: 3, ExpYear: 2027 } })
  const endOf = async () => (await rowOf(needs.db, consent)).ends_on
  assert.equal(await endOf(), '2027-03-31')
  await modify(needs, caller, consent, { NumDays: 30 })
  assert.equal(await endOf(), '2027-02-14')
  await modify(needs, caller, consent, { NumDays: 400 })
  assert.equal(await endOf(), '2027-03-31')
  await modify(needs, caller, consent, { ExpMonth: 6, ExpYear: 29 })
  assert.equal(await endOf(), '2028-02-19')
  await modify(needs, caller, consent, { ExpYear: 2027 })
  assert.equal(await endOf(), '2027-06-30')
})

test('expiries that are no date or in the past are refused, and limits that no money can have', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  assert.equal(await modify(needs, caller, consent, { ExpYear: 1999 }), 'invalid_card')
  assert.equal(await modify(needs, caller, consent, { ExpMonth: 12, ExpYear: 26 }), 'card_expired')
  assert.equal(await modify(needs, caller, consent, { LimitPerCharge: 1.005 }), 'value_out_of_range')
  assert.equal(await modify(needs, caller, consent, { LimitPerCharge: -0.5 }), 'value_out_of_range')
})

test('cancelled consents and those of others are refused', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const caller = await makeCaller(needs, account)
  const consent = await makeConsent(needs, caller)
  assert.equal(await modify(needs, await makeCallerOf(needs), consent, { NumDays: 3 }), 'consent_not_found')
  const branch = await makeCaller(needs, account, { merchant: 2 })
  assert.equal(await modify(needs, branch, consent, { NumDays: 3 }), 'consent_not_found')
  await cancelAnnualConsent(needs, caller, { consentId: consent })
  assert.equal(await modify(needs, caller, consent, { NumDays: 3 }), 'consent_cancelled')
})
