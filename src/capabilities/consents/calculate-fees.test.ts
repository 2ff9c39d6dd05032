import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calculateFeesContract } from '#capabilities/consents/calculate-fees.contract.ts'
import { calculateFees } from '#capabilities/consents/calculate-fees.operation.ts'
import { cancelAnnualConsent } from '#capabilities/consents/cancel-annual-consent.operation.ts'
import type { ConsentId } from '#capabilities/consents/consent.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { makeCaller, makeCallerOf, makeConsent } from '../../../test/support/consent-world.ts'
import { makeAccount, makeMerchant, useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

async function quoted(needs: World, caller: Caller, consent: ConsentId, Amount: number, record = 0) {
  const body = { ConsentID: Number(consent), Amount, AlternateMerchID: record }
  const input = calculateFeesContract.fromWire(body, caller)
  if (!input.ok) return { refusal: input.refusal.kind }
  const result = await calculateFees(needs, caller, input.value)
  if (!result.ok) return { refusal: result.refusal.kind }
  const { message, members } = calculateFeesContract.toWire(result.value)
  return { message, amounts: members.Amounts, note: members.FeeNote }
}

const surcharging = { feeKind: 'surcharge', feeBasisPoints: 300, region: 'IL' } as const

async function surchargingCaller(needs: World): Promise<Caller> {
  const account = await makeAccount(needs, { allowsAlternateMerchants: true })
  await makeMerchant(needs, account, surcharging)
  return makeCaller(needs, account)
}

test('a credit card carries the surcharge of the record, explained and with its number masked', async () => {
  const needs = world()
  const caller = await surchargingCaller(needs)
  const consent = await makeConsent(needs, caller, { creator: { MerchID: 2 } })
  const { message, amounts, note } = await quoted(needs, caller, consent, 10.1)
  assert.deepEqual(amounts, { BaseAmt: 10.1, Surcharge: 0.3, TotalAmt: 10.4 })
  assert.equal(message, 'Fees calculated for CREDIT Card 4111XXXXXXXX1111')
  assert.match(note ?? '', /^Surcharge 3 %: .*\.$/)
})

test('debit and prepaid cards carry none', async () => {
  const needs = world()
  const caller = await surchargingCaller(needs)
  for (const [AccountNumber, masked] of [
    ['4000056655665556', 'DEBIT Card 4000XXXXXXXX5556'],
    ['5105105105105100', 'PREPAID Card 5105XXXXXXXX5100'],
  ] as const) {
    const consent = await makeConsent(needs, caller, { card: { AccountNumber }, creator: { MerchID: 2 } })
    const { message, amounts } = await quoted(needs, caller, consent, 100)
    assert.equal(amounts?.Surcharge, 0)
    assert.ok(message?.includes(masked))
  }
})

test('a record without fees answers 0; another record that collects the funds answers its own', async () => {
  const needs = world()
  const caller = await surchargingCaller(needs)
  const consent = await makeConsent(needs, caller)
  assert.equal((await quoted(needs, caller, consent, 100)).amounts?.TotalAmt, 100)
  assert.equal((await quoted(needs, caller, consent, 100, 2)).amounts?.TotalAmt, 103)
  assert.equal((await quoted(needs, caller, consent, 100, 7)).refusal, 'merchant_not_found')
})

test('amounts of 0 or with too many decimals are refused', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  assert.equal((await quoted(needs, caller, consent, 0)).refusal, 'value_out_of_range')
  assert.equal((await quoted(needs, caller, consent, 1.001)).refusal, 'value_out_of_range')
})

test('cancelled consents and those of others are refused', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  const stranger = await makeCallerOf(needs)
  assert.equal((await quoted(needs, stranger, consent, 1)).refusal, 'consent_not_found')
  await cancelAnnualConsent(needs, caller, { consentId: consent })
  assert.equal((await quoted(needs, caller, consent, 1)).refusal, 'consent_cancelled')
})
