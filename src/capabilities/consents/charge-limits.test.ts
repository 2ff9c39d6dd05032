import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cancelAnnualConsent } from '#capabilities/consents/cancel-annual-consent.operation.ts'
import { repeatStoredCharge } from '#capabilities/consents/charge-stored-card.operation.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { voidSale } from '#capabilities/sales/void-sale.operation.ts'
import { refusedEnvelope } from '#capabilities/wire/envelope.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { currencyCode } from '#kernel/currency.ts'
import {
  bankMinor,
  callerKey,
  charge,
  makeCaller,
  makeCallerOf,
  makeConsent,
  postedMinor,
  rowOf,
  told,
} from '../../../test/support/consent-world.ts'
import { makeAccount, makeMerchant, useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

describe('limits', () => {
  test('of one charge and of a lifetime are refused before anything is sent', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller, { creator: { LimitPerCharge: 50, LimitLifeTime: 80 } })
    const refusalOf = async (amount: number) =>
      told(await charge(needs, caller, consent, { Amounts: amount })).refusal
    assert.equal(await refusalOf(50.01), 'over_limit_per_charge')
    assert.equal(await refusalOf(50), null)
    assert.equal(await refusalOf(30.01), 'over_lifetime_limit')
    assert.equal(await refusalOf(30), null)
    assert.equal(await refusalOf(0.01), 'over_lifetime_limit')
    assert.equal(await bankMinor(needs), 8000n)
  })

  test('a refused charge keeps its row and tells its transaction', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller, { creator: { LimitPerCharge: 50 } })
    const { members } = told(await charge(needs, caller, consent, { Amounts: 51 }))
    assert.ok(members.TxID > 0)
  })

  test('hold under 160 clients of two nodes: of 300 charges exactly 100 fit and are approved', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller, { creator: { LimitLifeTime: 700 } })
    const nodes = [needs, { ...needs, ...paymentEngine(needs), clock: needs.clock }] as const
    let left = 300
    const refusals: (string | null)[] = []
    const client = async (node: World) => {
      while (left > 0) {
        left -= 1
        refusals.push(told(await charge(node, caller, consent, { Amounts: 7 })).refusal)
      }
    }
    await Promise.all(Array.from({ length: 160 }, (_, at) => client(nodes[at % 2 === 0 ? 0 : 1])))
    assert.equal(refusals.filter((one) => one === null).length, 100)
    assert.equal(refusals.filter((one) => one === 'over_lifetime_limit').length, 200)
    assert.equal((await rowOf(needs.db, consent)).used_minor, 70_000n)
    assert.equal(await postedMinor(needs.db, caller), 70_000n)
    assert.equal(await bankMinor(needs), 70_000n)
    assert.equal((await verifyLedger(needs.db)).isSound, true)
  })
})

describe('the term of a consent', () => {
  test('ends with its last day in the zone of the merchant record', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller, { creator: { NumDays: 1 } })
    // 15 January, 5 in the morning in New York; the consent is good through the 16th.
    needs.clock.advance({ hours: 42 })
    assert.equal(told(await charge(needs, caller, consent, { Amounts: 1 })).refusal, null)
    needs.clock.advance({ hours: 1 })
    assert.equal(told(await charge(needs, caller, consent, { Amounts: 1 })).refusal, 'consent_expired')
  })

  test('has not begun before its start', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller, { creator: { StartDate: '2027-01-20' } })
    const early = await charge(needs, caller, consent, { Amounts: 1 })
    assert.ok(!early.ok)
    assert.equal(refusedEnvelope(early.refusal).RespMsg, `Consent ${consent} begins on 2027-01-20`)
    needs.clock.advance({ hours: 5 * 24 })
    assert.equal(told(await charge(needs, caller, consent, { Amounts: 1 })).refusal, null)
  })

  test('a card that has expired is told as such', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller, { card: { ExpMonth: 1, ExpYear: 27 } })
    needs.clock.advance({ hours: 24 * 17 })
    assert.equal(told(await charge(needs, caller, consent, { Amounts: 1 })).refusal, 'card_expired')
  })
})

const surcharging = async (needs: World) => {
  const account = await makeAccount(needs, { allowsAlternateMerchants: true })
  await makeMerchant(needs, account, { feeKind: 'surcharge', feeBasisPoints: 300, region: 'IL' })
  return makeCaller(needs, account)
}

describe('fees', () => {
  test('above the calculated ones are clamped, smaller ones stay as they are', async () => {
    const needs = world()
    const caller = await surcharging(needs)
    const consent = await makeConsent(needs, caller, { creator: { MerchID: 2 } })
    const chargedFor = async (Surcharge: number) =>
      told(await charge(needs, caller, consent, { Amounts: { BaseAmt: 100, Surcharge } }))
    const clamped = await chargedFor(5)
    assert.deepEqual(clamped.members.ApprovedAmounts, { BaseAmt: 100, Surcharge: 3, TotalAmt: 103 })
    assert.match(clamped.message, /^APPROVED \w{6}$/)
    assert.match(clamped.members.FeeNote, /5\.00 was asked for, 3\.00 is the most/)
    assert.equal((await chargedFor(2)).members.ApprovedAmounts.TotalAmt, 102)
    assert.equal((await chargedFor(0)).members.ApprovedAmounts.TotalAmt, 100)
    assert.equal((await rowOf(needs.db, consent)).used_minor, 30_500n)
  })

  test('are never added for a debit card', async () => {
    const needs = world()
    const caller = await surcharging(needs)
    const card = { AccountNumber: '4000056655665556' }
    const consent = await makeConsent(needs, caller, { card, creator: { MerchID: 2 } })
    const { members } = told(
      await charge(needs, caller, consent, { Amounts: { BaseAmt: 100, Surcharge: 3, TotalAmt: 103 } }),
    )
    assert.equal(members.ApprovedAmounts.TotalAmt, 100)
  })

  test('are refused where the merchant record has none, and so is a wrong sum', async () => {
    const needs = world()
    const caller = await surcharging(needs)
    const consent = await makeConsent(needs, caller)
    const refusalOf = async (Amounts: { BaseAmt: number; Surcharge?: number; TotalAmt?: number }) =>
      told(await charge(needs, caller, consent, { Amounts })).refusal
    assert.equal(await refusalOf({ BaseAmt: 100, Surcharge: 1 }), 'fees_not_configured')
    assert.equal(await refusalOf({ BaseAmt: 100, TotalAmt: 101 }), 'total_mismatch')
    assert.equal(await refusalOf({ BaseAmt: 1.001 }), 'value_out_of_range')
    assert.equal(await refusalOf({ BaseAmt: 100, Surcharge: 0, TotalAmt: 100 }), null)
  })
})

const withRecords = async (needs: World, allowsAlternateMerchants: boolean) => {
  const account = await makeAccount(needs, { allowsAlternateMerchants })
  const euro = currencyCode('EUR')
  assert.ok(euro)
  await makeMerchant(needs, account, { name: 'Branch' })
  await makeMerchant(needs, account, { currency: euro })
  return account
}

describe('another merchant record', () => {
  test('collects the funds where the account allows it and the currency is the same', async () => {
    const needs = world()
    const caller = await makeCaller(needs, await withRecords(needs, true))
    const consent = await makeConsent(needs, caller)
    const into = (AlternateMerchID: number) =>
      charge(needs, caller, consent, { Amounts: 1, AlternateMerchID })
    const collected = await into(2)
    assert.ok(collected.ok)
    assert.equal(collected.value.merchantNumber, 2)
    assert.equal(told(await into(0)).refusal, null)
    assert.equal(told(await into(1)).refusal, null)
    assert.equal(told(await into(3)).refusal, 'currency_differs')
    assert.equal(told(await into(9)).refusal, 'merchant_not_found')
  })

  test('is refused where the account does not allow it', async () => {
    const needs = world()
    const caller = await makeCaller(needs, await withRecords(needs, false))
    const consent = await makeConsent(needs, caller)
    const result = await charge(needs, caller, consent, { Amounts: 1, AlternateMerchID: 2 })
    assert.equal(told(result).refusal, 'alternate_not_allowed')
  })

  test('is out of reach for a token of one record, as are the consents of others', async () => {
    const needs = world()
    const account = await withRecords(needs, true)
    const consent = await makeConsent(needs, await makeCaller(needs, account))
    const [first, second] = [
      await makeCaller(needs, account, { merchant: 1 }),
      await makeCaller(needs, account, { merchant: 2 }),
    ]
    assert.equal(told(await charge(needs, first, consent, { Amounts: 1 })).refusal, null)
    const elsewhere = await charge(needs, first, consent, { Amounts: 1, AlternateMerchID: 2 })
    assert.equal(told(elsewhere).refusal, 'merchant_not_found')
    assert.equal(told(await charge(needs, second, consent, { Amounts: 1 })).refusal, 'consent_not_found')
  })
})

test('a consent of another account is not found, like one that does not exist', async () => {
  const needs = world()
  const consent = await makeConsent(needs, await makeCallerOf(needs))
  const stranger = await makeCallerOf(needs)
  const theirs = await charge(needs, stranger, consent, { Amounts: 1 })
  const nobodys = await charge(needs, stranger, consentId(999_999_999n), { Amounts: 1 })
  assert.deepEqual([told(theirs).refusal, told(nobodys).refusal], ['consent_not_found', 'consent_not_found'])
})

describe('an idempotency key', () => {
  test('sent fifty times at once makes one charge', async () => {
    const needs = world()
    const plain = await makeCallerOf(needs)
    const consent = await makeConsent(needs, plain)
    const caller = { ...plain, callerKey: callerKey('fifty') }
    const results = await Promise.all(
      Array.from({ length: 50 }, () => charge(needs, caller, consent, { Amounts: 3 })),
    )
    const refusals = results.map((result) => told(result).refusal)
    assert.equal(refusals.filter((one) => one === null).length, 1)
    assert.equal(refusals.filter((one) => one === 'key_running').length, 49)
    assert.equal(await bankMinor(needs), 300n)
    const approved = results.find((result) => result.ok)
    assert.ok(approved?.ok)
    assert.deepEqual(told(await repeatStoredCharge(needs, approved.value)), told(approved))
  })

  test('is not used up by a refusal', async () => {
    const needs = world()
    const plain = await makeCallerOf(needs)
    const consent = await makeConsent(needs, plain, { creator: { LimitPerCharge: 50 } })
    const caller = { ...plain, callerKey: callerKey('again') }
    assert.equal(told(await charge(needs, caller, consent, { Amounts: 51 })).refusal, 'over_limit_per_charge')
    assert.equal(told(await charge(needs, caller, consent, { Amounts: 50 })).refusal, null)
  })
})

test('a cancel between many charges lets none through afterwards', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  const before = Array.from({ length: 20 }, () => charge(needs, caller, consent, { Amounts: 1 }))
  const cancelled = cancelAnnualConsent(needs, caller, { consentId: consent })
  const after = Array.from({ length: 20 }, () => charge(needs, caller, consent, { Amounts: 1 }))
  const results = (await Promise.all([...before, ...after])).map(told)
  assert.ok((await cancelled).ok)
  const approved = results.filter(({ refusal }) => refusal === null).length
  const allowed = new Set([null, 'consent_cancelled', 'not_charged'])
  assert.ok(results.every(({ refusal }) => allowed.has(refusal)))
  assert.equal((await rowOf(needs.db, consent)).used_minor, BigInt(approved * 100))
  assert.equal(await bankMinor(needs), BigInt(approved * 100))
  assert.equal(told(await charge(needs, caller, consent, { Amounts: 1 })).refusal, 'consent_cancelled')
})

test('a void gives back what its sale had taken, once', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller, { creator: { LimitLifeTime: 100 } })
  const sale = await charge(needs, caller, consent, { Amounts: 100 })
  assert.ok(sale.ok)
  assert.equal(told(await charge(needs, caller, consent, { Amounts: 1 })).refusal, 'over_lifetime_limit')
  const voids = await Promise.all(
    Array.from({ length: 8 }, () => voidSale(needs, caller, { saleId: sale.value.attemptId })),
  )
  assert.equal(voids.filter(({ ok }) => ok).length, 1)
  assert.equal((await rowOf(needs.db, consent)).used_minor, 0n)
  assert.equal(told(await charge(needs, caller, consent, { Amounts: 100 })).refusal, null)
})

test('a sale can be voided after its consent was cancelled', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  const sale = await charge(needs, caller, consent, { Amounts: 100 })
  assert.ok(sale.ok)
  await cancelAnnualConsent(needs, caller, { consentId: consent })
  assert.ok((await voidSale(needs, caller, { saleId: sale.value.attemptId })).ok)
  assert.equal((await rowOf(needs.db, consent)).used_minor, 0n)
})

test('charges of many consents at once are judged each by its own', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs, { verifiesCards: false })
  const limits = [10, 20, 30, 40, 50, 60]
  const consents = await Promise.all(
    limits.map((LimitPerCharge) => makeConsent(needs, caller, { creator: { LimitPerCharge } })),
  )
  const results = await Promise.all(
    consents.map((consent) => charge(needs, caller, consent, { Amounts: 35 })),
  )
  const over = 'over_limit_per_charge'
  assert.deepEqual(
    results.map((result) => told(result).refusal),
    [over, over, over, null, null, null],
  )
})
