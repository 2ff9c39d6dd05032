import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createAnnualConsentContract } from '#capabilities/consents/create-annual-consent.contract.ts'
import { repeatCreation } from '#capabilities/consents/create-consent.operation.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { removeAbandonedConsents } from '#capabilities/consents/remove-abandoned-consents.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import {
  callerKey,
  charge,
  create,
  eventsOf,
  impatient,
  makeCaller,
  makeCallerOf,
  makeConsent,
  rowOf,
  told,
  unfinishedOf,
} from '../../../test/support/consent-world.ts'
import { makeAccount, makeMerchant, useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()
const path = 'ConsentAnnual/Create_MAN'

function wireOf(result: Awaited<ReturnType<typeof create>>) {
  if (result.ok) return { ...createAnnualConsentContract.toWire(result.value), refusal: null }
  const members = createAnnualConsentContract.refusedToWire(result.refusal.known ?? null)
  return { members, message: '', refusal: result.refusal.kind }
}

describe('a good card', () => {
  test('is stored after the issuer has approved an authorization of 0', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const { members, message } = wireOf(await create(needs, caller))
    assert.equal(
      message,
      `Success : Created Annual Consent ID : ${String(members.ConsentID).padStart(6, '0')}`,
    )
    assert.deepEqual([members.CreationSuccess, members.PreConsentAuthSuccess], [true, true])
    assert.match(members.PreConsentAuthMessage, /^APPROVED [A-Z0-9]{6}$/)
    assert.ok(members.PreConsentAuthTxID > 0)
    const row = await rowOf(needs.db, consentId(BigInt(members.ConsentID)))
    assert.deepEqual([row.state, row.is_card_readable, row.used_minor], ['active', true, 0n])
    assert.deepEqual(await eventsOf(needs.db, caller), ['consent.created'])
    assert.deepEqual(await unfinishedOf(needs.db, caller), [])
  })

  test('is stored at once where the account wants no verification', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs, { verifiesCards: false })
    const { members } = wireOf(await create(needs, caller))
    assert.deepEqual(
      [members.CreationSuccess, members.PreConsentAuthSuccess, members.PreConsentAuthTxID],
      [true, false, 0],
    )
    assert.deepEqual(await eventsOf(needs.db, caller), ['consent.created'])
  })

  test('is good for so many days from the start, but never past its expiry', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const termOf = async (wish: Parameters<typeof create>[2]) => {
      const row = await rowOf(needs.db, await makeConsent(needs, caller, wish))
      return [row.starts_on, row.ends_on, row.days]
    }
    assert.deepEqual(await termOf({}), ['2027-01-15', '2028-01-15', 365])
    const creator = { StartDate: '2/1/2027', NumDays: 28 }
    assert.deepEqual(await termOf({ creator }), ['2027-02-01', '2027-03-01', 28])
    const card = { ExpMonth: 2, ExpYear: 27 }
    assert.deepEqual(await termOf({ card, creator }), ['2027-02-01', '2027-02-28', 28])
  })
})

const refusalOf = async (needs: World, wish: Parameters<typeof create>[2]) =>
  wireOf(await create(needs, await makeCallerOf(needs), wish))

describe('a consent is refused', () => {
  test('for an expired card', async () => {
    const { refusal, members } = await refusalOf(world(), { card: { ExpMonth: 12, ExpYear: 2026 } })
    assert.deepEqual([refusal, members.ConsentID], ['card_expired', 0])
  })

  for (const [creator, problem] of [
    [
      { StartDate: '2025-01-01', NumDays: 30 },
      'ConsentCreator.StartDate and ConsentCreator.NumDays: a consent from 2025-01-01 ended on 2025-01-31',
    ],
    [{ StartDate: '2031-01-01' }, 'ConsentCreator.StartDate is 2031-01-01, after the card has expired'],
  ] as const) {
    test(`with the names of its members: ${JSON.stringify(creator)}`, async () => {
      const needs = world()
      const refused = await create(needs, await makeCallerOf(needs), { creator })
      assert.equal(refused.ok ? '' : refused.refusal.details['problem'], problem)
    })
  }

  test('when it would be over before it begins, and for limits that no money can have', async () => {
    const { refusal } = await refusalOf(world(), { creator: { StartDate: '2025-01-01', NumDays: 30 } })
    assert.equal(refusal, 'value_out_of_range')
    assert.equal(
      (await refusalOf(world(), { creator: { LimitPerCharge: 0.001 } })).refusal,
      'value_out_of_range',
    )
  })

  test('for a merchant record that is not there or that the token is not for', async () => {
    const needs = world()
    assert.equal((await refusalOf(needs, { creator: { MerchID: 9 } })).refusal, 'merchant_not_found')
    const account = await makeAccount(needs)
    await makeMerchant(needs, account)
    const caller = await makeCaller(needs, account, { merchant: 2 })
    assert.equal(wireOf(await create(needs, caller)).refusal, 'merchant_not_found')
    assert.equal(wireOf(await create(needs, caller, { creator: { MerchID: 2 } })).refusal, null)
  })
})

test('a card that the issuer declines is not kept', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const result = await create(needs, caller, { card: { AccountNumber: '4000000000009995' } })
  const { members, message } = wireOf(result)
  assert.equal(message, 'DECLINED: insufficient funds')
  assert.deepEqual(
    [members.ConsentID, members.CreationSuccess, members.PreConsentAuthSuccess],
    [0, false, false],
  )
  assert.ok(result.ok && result.value.verification)
  const { consentId: id } = result.value.verification.details
  const row = await rowOf(needs.db, consentId(BigInt(id)))
  assert.deepEqual([row.state, row.is_card_readable], ['not_made', false])
  assert.deepEqual(await eventsOf(needs.db, caller), ['payment.declined'])
  assert.deepEqual(await unfinishedOf(needs.db, caller), [])
})

test('an outcome that is not known leaves the consent pending until it is', async () => {
  const needs = impatient(world())
  needs.bank.faults.add({ verb: 'authorize', times: 1, delivery: { losesAnswer: true } })
  needs.bank.faults.add({ verb: 'inquire', times: 1, delivery: { losesAnswer: true } })
  const caller = { ...(await makeCallerOf(needs)), callerKey: callerKey('lost', path) }
  const result = await create(needs, caller)
  assert.ok(!result.ok)
  assert.equal(result.refusal.kind, 'outcome_unknown')
  const attempt = result.refusal.known
  assert.ok(attempt)
  const id = consentId(BigInt(attempt.details.consentId))
  assert.equal((await rowOf(needs.db, id)).state, 'pending')
  const plain = { ...caller, callerKey: null }
  assert.equal(told(await charge(needs, plain, id, { Amounts: 1 })).refusal, 'consent_not_found')
  needs.clock.advance({ minutes: 2 })
  await recoverAttempts(needs)
  assert.equal((await rowOf(needs.db, id)).state, 'active')
  assert.equal(told(await charge(needs, plain, id, { Amounts: 1 })).refusal, null)
  assert.deepEqual(await eventsOf(needs.db, caller), ['consent.created', 'payment.approved'])
})

describe('an idempotency key', () => {
  for (const verifiesCards of [true, false]) {
    const how = verifiesCards ? 'verified' : 'unverified'
    test(`sent ten times at once makes one consent, ${how}`, async () => {
      const needs = world()
      const caller = { ...(await makeCallerOf(needs, { verifiesCards })), callerKey: callerKey('ten', path) }
      const results = await Promise.all(Array.from({ length: 10 }, () => create(needs, caller)))
      const made = results.flatMap((result) => (result.ok ? [result.value.consentId] : []))
      assert.equal(new Set(made).size, 1)
      const refusals = results.flatMap((result) => (result.ok ? [] : [result.refusal.kind]))
      assert.ok(refusals.every((kind) => kind === 'key_running'))
      assert.equal(made.length, 1)
      assert.deepEqual(await eventsOf(needs.db, caller), ['consent.created'])
      assert.deepEqual(await unfinishedOf(needs.db, caller), [])
    })
  }

  test('leads to the same answer again', async () => {
    const needs = world()
    const caller = { ...(await makeCallerOf(needs)), callerKey: callerKey('twice', path) }
    const first = await create(needs, caller)
    assert.ok(first.ok && first.value.verification)
    assert.deepEqual(wireOf(await repeatCreation(needs, first.value.verification)), wireOf(first))
  })
})

test('a consent whose creation died before the issuer was asked is given up after an hour', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const dying = { ...needs, attempts: { add: () => Promise.reject(new Error('the process died')) } }
  await assert.rejects(create(dying, caller))
  const [id] = await unfinishedOf(needs.db, caller)
  assert.ok(id)
  await removeAbandonedConsents(needs)
  assert.equal((await rowOf(needs.db, id)).state, 'pending')
  needs.clock.advance({ hours: 1 })
  await removeAbandonedConsents(needs)
  const row = await rowOf(needs.db, id)
  assert.deepEqual([row.state, row.is_card_readable], ['not_made', false])
  assert.deepEqual(await unfinishedOf(needs.db, caller), [])
})
