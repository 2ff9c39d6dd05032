import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { lockConsents } from '#capabilities/consents/consent-use.store.ts'
import { voidSale } from '#capabilities/sales/void-sale.operation.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import type { Database } from '#platform/postgres/database.ts'
import {
  bankMinor,
  charge,
  makeCallerOf,
  makeConsent,
  postedMinor,
  rowOf,
  told,
} from '../../../test/support/consent-world.ts'
import { somebodyWaits } from '../../../test/support/somebody-waits.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()

// A node that counts the transactions of its payments.
function counting(needs: World): { readonly node: World; readonly count: () => number } {
  let transactions = 0
  const inTransaction: Database['inTransaction'] = (work, saying) => {
    transactions += 1
    return needs.db.inTransaction(work, saying)
  }
  const engine = paymentEngine({ ...needs, batchDb: { ...needs.db, inTransaction } })
  return { node: { ...needs, ...engine, clock: needs.clock }, count: () => transactions }
}

describe('charges of one consent at the same time', () => {
  test('share two transactions, eight of them, and each takes its part', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller)
    const { node, count } = counting(needs)
    const amounts = [1, 2, 3, 4, 5, 6, 7, 8]
    await Promise.all(amounts.map((Amounts) => charge(node, caller, consent, { Amounts })))
    assert.equal(count(), 2)
    assert.equal((await rowOf(needs.db, consent)).used_minor, 3_600n)
    assert.equal(await postedMinor(needs.db, caller), 3_600n)
  })

  test('are more than eight: the ninth waits for the next two', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller)
    const { node, count } = counting(needs)
    await Promise.all(Array.from({ length: 9 }, () => charge(node, caller, consent, { Amounts: 1 })))
    assert.equal(count(), 4)
    assert.equal((await rowOf(needs.db, consent)).used_minor, 900n)
  })

  test('are judged one by one: what does not fit is refused, and a smaller one behind it fits', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const consent = await makeConsent(needs, caller, { creator: { LimitLifeTime: 70 } })
    const other = await makeConsent(needs, caller, { creator: { LimitLifeTime: 70 } })
    const asked = [30, 30, 50, 10, 0.01].map((Amounts) => ({ on: consent, Amounts }))
    const mixed = [...asked.slice(0, 2), { on: other, Amounts: 70 }, ...asked.slice(2)]
    const results = await Promise.all(mixed.map(({ on, Amounts }) => charge(needs, caller, on, { Amounts })))
    const over = 'over_lifetime_limit'
    assert.deepEqual(
      results.map((result) => told(result).refusal),
      [null, null, null, over, null, over],
    )
    assert.equal((await rowOf(needs.db, consent)).used_minor, 7_000n)
    assert.equal((await rowOf(needs.db, other)).used_minor, 7_000n)
    assert.equal(await bankMinor(needs), 14_000n)
    assert.equal((await verifyLedger(needs.db)).isSound, true)
  })

  test('that are declined give back all that they took', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs, { verifiesCards: false })
    const consent = await makeConsent(needs, caller, { zip: '46282', creator: { LimitLifeTime: 10 } })
    const { node, count } = counting(needs)
    const results = await Promise.all([1, 2, 3].map((Amounts) => charge(node, caller, consent, { Amounts })))
    assert.ok(results.every((result) => !told(result).members.TxApproved))
    assert.equal(count(), 2)
    assert.equal((await rowOf(needs.db, consent)).used_minor, 0n)
  })

  test('that are approved in part give back what was not', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs, { allowsPartialApprovals: true })
    const creator = { LimitPerCharge: 10_000, LimitLifeTime: 30_000 }
    const consent = await makeConsent(needs, caller, { creator })
    const { node, count } = counting(needs)
    await Promise.all([9_900.1, 9_900.1].map((Amounts) => charge(node, caller, consent, { Amounts })))
    assert.equal(count(), 2)
    assert.equal((await rowOf(needs.db, consent)).used_minor, 990_010n)
  })

  test('lock in the order of consents, also where there is no room for the first of one', async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const lower = await makeConsent(needs, caller, { creator: { LimitPerCharge: 10 } })
    const higher = await makeConsent(needs, caller)
    const { node, count } = counting(needs)
    const ofOurs = (consent: bigint) => ({ account: caller.accountId, consent })
    const charging = await needs.db.inTransaction(async (tx) => {
      await lockConsents(tx, [ofOurs(lower)])
      const begun = [
        charge(node, caller, lower, { Amounts: 11 }),
        charge(node, caller, lower, { Amounts: 1 }),
        charge(node, caller, higher, { Amounts: 1 }),
      ]
      await somebodyWaits(needs.db)
      await lockConsents(tx, [ofOurs(higher)])
      return { begun }
    })
    const results = await Promise.all(charging.begun)
    assert.deepEqual(
      results.map((result) => told(result).refusal),
      ['over_limit_per_charge', null, null],
    )
    // T1 at once, T1 step by step and T2: nobody was in the way of the other, so nothing was begun anew.
    assert.equal(count(), 3)
  })
})

test('where two of three charges of one consent are voided at once, the third is left', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  const sales = await Promise.all([1, 2, 4].map((Amounts) => charge(needs, caller, consent, { Amounts })))
  const voids = await Promise.all(
    sales.slice(0, 2).map((sale) => {
      assert(sale.ok)
      return voidSale(needs, caller, { saleId: sale.value.attemptId })
    }),
  )
  assert.ok(voids.every(({ ok }) => ok))
  assert.equal((await rowOf(needs.db, consent)).used_minor, 400n)
})
