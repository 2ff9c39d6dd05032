import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { refusedEnvelope } from '#capabilities/wire/envelope.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import {
  bankMinor,
  callerKey,
  charge,
  eventsOf,
  impatient,
  makeCallerOf,
  makeConsent,
  postedMinor,
  rowOf,
  told,
} from '../../../test/support/consent-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

describe('an ordinary charge', () => {
  test('is approved in full and told with code, amounts and address check', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller)
    const { members, message } = told(await charge(needs, caller, consent, { Amounts: 10.1 }))
    assert.match(message, /^APPROVED [A-Z0-9]{6}$/)
    assert.equal(`APPROVED ${members.TxnCode}`, message)
    assert.deepEqual(members.ApprovedAmounts, { BaseAmt: 10.1, Surcharge: 0, TotalAmt: 10.1 })
    assert.deepEqual(
      [members.TxApproved, members.ResponseApprovedAmount, members.ResponseBalanceAmount],
      [true, 10.1, 0],
    )
    assert.deepEqual([members.AVSresult, members.CVVresult], ['Y', ''])
    assert.equal((await rowOf(needs.db, consent)).used_minor, 1010n)
    assert.deepEqual(await eventsOf(needs.db, caller), ['consent.created', 'payment.approved'])
  })

  test('is written in the order in which PostgreSQL keeps it, which then sorts nothing', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const result = await charge(needs, caller, await makeConsent(needs, caller), { Amounts: 5 })
    assert.ok(result.ok)
    const { accountId: account, attemptId: attempt, details } = result.value
    const kept = await findAttemptOf(needs, { account, attempt })
    assert.deepEqual(kept?.details, details)
    assert.deepEqual(Object.keys(details), Object.keys(kept.details))
  })

  test('with empty details takes what is stored with the consent', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const creator = { CustomerRefID: 'C-1', ServiceDescrip: 'Membership', RPGUID: 'G-1' }
    const consent = await makeConsent(needs, caller, { creator })
    const purchDetails = { ServiceDescrip: '', ClientRefID: 'Order 7', RPGUID: '' }
    const result = await charge(needs, caller, consent, { Amounts: 5, purchDetails, User: 'Ben' })
    assert.ok(result.ok)
    const { service, clientRef, guid, user, holderLastName, lastFour, consentId: id } = result.value.details
    assert.deepEqual([service, clientRef, guid, user], ['Membership', 'Order 7', 'G-1', 'Ben'])
    assert.deepEqual([holderLastName, lastFour, id], ['Example', '1111', String(consent)])
  })
})

describe('an amount with more decimals than its currency', () => {
  for (const [member, Amounts] of [
    ['Amounts.BaseAmt', { BaseAmt: 10.001 }],
    ['Amounts.Amount', { Amount: 10.001 }],
    ['Amounts.Surcharge', { BaseAmt: 10, Surcharge: 0.001 }],
    ['Amounts.TotalAmt', { BaseAmt: 10, TotalAmt: 10.001 }],
  ] as const) {
    test(`is refused, and the refusal names ${member}`, async () => {
      const needs = world()
      const caller = await makeCallerOf(needs)
      const consent = await makeConsent(needs, caller)
      const refused = await charge(needs, caller, consent, { Amounts })
      assert.ok(!refused.ok)
      assert.equal(refusedEnvelope(refused.refusal).RespMsg, `${member} has more decimals than USD has`)
      assert.equal(await bankMinor(needs), 0n)
    })
  }
})

describe('a decline', () => {
  const declining: readonly (readonly [amount: number, code: string])[] = [
    [9900.05, '05'],
    [9900.51, '51'],
    [9900.41, '41'],
    [9900.54, '54'],
    [9900.61, '61'],
    [9900.65, '65'],
    [9900.91, '91'],
  ]
  for (const [amount, code] of declining) {
    test(`of ${amount} is told by code ${code} and takes nothing of the limits`, async () => {
      const needs = world()
      const caller = await makeCallerOf(needs)
      const consent = await makeConsent(needs, caller)
      const { members, refusal } = told(await charge(needs, caller, consent, { Amounts: amount }))
      assert.deepEqual([refusal, members.TxApproved, members.TxnCode], [null, false, code])
      assert.ok(members.TxID > 0)
      assert.equal((await rowOf(needs.db, consent)).used_minor, 0n)
    })
  }

  test('with a key takes nothing of the limits either', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller)
    const careful = { ...caller, callerKey: callerKey('declined') }
    const { members } = told(await charge(needs, careful, consent, { Amounts: 9900.05 }))
    assert.deepEqual([members.TxApproved, members.TxnCode], [false, '05'])
    assert.equal((await rowOf(needs.db, consent)).used_minor, 0n)
  })

  for (const [number, code] of [
    ['4000000000000341', '05'],
    ['4000008400001280', '96'],
    ['4000000000009235', 'R0'],
    ['4000000000009243', 'R1'],
    ['4000000000009250', 'R3'],
    ['4000000000009268', '51'],
  ] as const) {
    test(`of the card ${number}, saved without complaint, is told by code ${code}`, async () => {
      const needs = world()
      const caller = await makeCallerOf(needs)
      const consent = await makeConsent(needs, caller, { card: { AccountNumber: number } })
      const { members } = told(await charge(needs, caller, consent, { Amounts: 10 }))
      assert.deepEqual([members.TxApproved, members.TxnCode], [false, code])
      assert.equal((await rowOf(needs.db, consent)).used_minor, 0n)
    })
  }

  // These decline a verification too, so that only an account that asks for none can store them.
  for (const [number, code] of [
    ['4000000000000002', '05'],
    ['4000000000009995', '51'],
    ['4000000000009987', '41'],
    ['4000000000009979', '43'],
    ['4000000000000069', '54'],
    ['4000000000000127', '82'],
    ['4000000000000119', '96'],
  ] as const) {
    test(`of the card ${number} is told by code ${code}`, async () => {
      const needs = world()
      const caller = await makeCallerOf(needs, { verifiesCards: false })
      const consent = await makeConsent(needs, caller, { card: { AccountNumber: number } })
      const { members, message } = told(await charge(needs, caller, consent, { Amounts: 10 }))
      assert.deepEqual([members.TxApproved, members.TxnCode], [false, code])
      assert.match(message, /^DECLINED/)
    })
  }

  for (const [amount, code] of [
    [9900.01, '01'],
    [9900.02, '02'],
  ] as const) {
    test(`with code ${code} asks to call the issuer`, async () => {
      const needs = world()
      const caller = await makeCallerOf(needs)
      const consent = await makeConsent(needs, caller)
      const { members, message } = told(await charge(needs, caller, consent, { Amounts: amount }))
      assert.deepEqual([members.RequiresVoiceAuth, members.TxnCode, message], [true, code, 'CALL ISSUER'])
    })
  }

  test('by zip and the letters of the address check come from the stored address', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs, { verifiesCards: false })
    const declined = await makeConsent(needs, caller, { zip: '46282' })
    assert.equal(told(await charge(needs, caller, declined, { Amounts: 1 })).members.TxnCode, '05')
    const noMatch = await makeConsent(needs, caller, { zip: '46205' })
    assert.equal(told(await charge(needs, caller, noMatch, { Amounts: 1 })).members.AVSresult, 'N')
  })
})

describe('a partial approval', () => {
  test('counts with what was approved where the account allows it', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs, { allowsPartialApprovals: true })
    const consent = await makeConsent(needs, caller)
    const { members, message } = told(await charge(needs, caller, consent, { Amounts: 9900.1 }))
    assert.match(message, /^APPROVED \w{6}$/)
    assert.deepEqual(
      [members.TxApproved, members.IsPartialApproval, members.ResponseApprovedAmount],
      [true, true, 4950.05],
    )
    assert.equal(members.ResponseBalanceAmount, 4950.05)
    assert.equal((await rowOf(needs.db, consent)).used_minor, 495_005n)
  })

  test('is told as declined and reversed where the account does not', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller)
    const { members } = told(await charge(needs, caller, consent, { Amounts: 9900.1 }))
    assert.deepEqual([members.TxApproved, members.IsPartialApproval, members.TxnCode], [false, false, '10'])
    assert.equal((await rowOf(needs.db, consent)).used_minor, 990_010n)
    needs.clock.advance({ minutes: 1 })
    await recoverAttempts(needs)
    assert.equal((await rowOf(needs.db, consent)).used_minor, 0n)
    assert.equal(await bankMinor(needs), 0n)
  })
})

const silentBank = (): World => {
  const needs = impatient(world())
  needs.bank.faults.add({ verb: 'inquire', times: 1, delivery: { losesAnswer: true } })
  return needs
}

describe('a lost answer', () => {
  test('is asked for once more while the caller waits, and the charge stands', async () => {
    const needs = impatient(world())
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller)
    const { members } = told(await charge(needs, caller, consent, { Amounts: 9900.68 }))
    assert.equal(members.TxApproved, true)
    assert.equal((await rowOf(needs.db, consent)).used_minor, 990_068n)
    assert.equal(await bankMinor(needs), 990_068n)
  })

  test('without a key and without any word of the bank is undone later', async () => {
    const needs = silentBank()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller)
    const { members, refusal } = told(await charge(needs, caller, consent, { Amounts: 9900.68 }))
    assert.equal(refusal, 'outcome_unknown')
    assert.ok(members.TxID > 0)
    assert.equal((await rowOf(needs.db, consent)).used_minor, 990_068n)
    for (let turn = 0; turn < 3; turn += 1) {
      needs.clock.advance({ minutes: 2 })
      await recoverAttempts(needs)
    }
    assert.equal((await rowOf(needs.db, consent)).used_minor, 0n)
    assert.equal(await bankMinor(needs), 0n)
  })

  test('with a key is kept, because the caller can find it again', async () => {
    const needs = silentBank()
    const caller = { ...(await makeCallerOf(needs)), callerKey: callerKey('k-1') }
    const consent = await makeConsent(needs, { ...caller, callerKey: null })
    assert.equal(told(await charge(needs, caller, consent, { Amounts: 9900.68 })).refusal, 'outcome_unknown')
    needs.clock.advance({ minutes: 2 })
    await recoverAttempts(needs)
    assert.equal((await rowOf(needs.db, consent)).used_minor, 990_068n)
    assert.equal(await bankMinor(needs), 990_068n)
    assert.equal(await postedMinor(needs.db, caller), 990_068n)
  })
})
