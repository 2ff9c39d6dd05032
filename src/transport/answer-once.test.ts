import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createAnnualConsentContract } from '#capabilities/consents/create-annual-consent.contract.ts'
import { operations } from '#capabilities/operations.ts'
import { chargeConsentTokenContract } from '#capabilities/international/charge-consent-token.contract.ts'
import { undoOrderContract } from '#capabilities/international/undo-order.contract.ts'
import { createRecurringConsentContract } from '#capabilities/recurring/create-recurring-consent.contract.ts'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { initFormContract } from '#capabilities/forms/init-form.contract.ts'
import { makeLinkContract } from '#capabilities/links/make-link.contract.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import type { Answer } from '#transport/answer.ts'
import { answerOnce } from '#transport/answer-once.ts'
import { bankMinor, eventsOf } from '../../test/support/consent-world.ts'
import { formOrder } from '../../test/support/form-world.ts'
import { linkOrder } from '../../test/support/link-world.ts'
import { buy, findRecords, openShop } from '../../test/support/order-world.ts'
import { useWorld, type World } from '../../test/support/session-world.ts'
import { openTill, sell, type Till } from '../../test/support/till.ts'

const world = useWorld()

function call({ needs, caller }: Till, contract: ContractFacts, body: object): Promise<Answer> {
  const operation = operations.find((one) => one.contract === contract)
  assert.ok(operation)
  return answerOnce(needs, operation, { caller, key: 'k-1', body })
}

function memberOf({ result }: Answer, name: string): unknown {
  return new Map<string, unknown>(Object.entries(result)).get(name)
}

// A bank that answers only when it is told to.
function waitingBank(full: World): { needs: World; asked: Promise<void>; answer: () => void } {
  const asked = Promise.withResolvers<void>()
  const told = Promise.withResolvers<void>()
  const wait = async (): Promise<void> => {
    asked.resolve()
    await told.promise
  }
  const acquirer: World['acquirer'] = {
    ...full.acquirer,
    authorize: async (request, signal) => {
      await wait()
      return full.acquirer.authorize(request, signal)
    },
    reverse: async (ref, signal) => {
      await wait()
      return full.acquirer.reverse(ref, signal)
    },
  }
  const needs = { ...full, ...paymentEngine({ ...full, acquirer }), clock: full.clock }
  return { needs, asked: asked.promise, answer: told.resolve }
}

describe('a key that is still running', () => {
  const consentBody = { ...createAnnualConsentContract.example.request }
  const saleBody = chargeCardContract.example.request
  for (const [contract, body, member] of [
    [chargeCardContract, saleBody, 'TxID'],
    [createAnnualConsentContract, consentBody, 'PreConsentAuthTxID'],
  ] as const) {
    test(`names the transaction of ${contract.path} in ${member}`, async () => {
      const bank = waitingBank(world())
      const till = await openTill(bank.needs)
      const first = call(till, contract, body)
      await bank.asked
      const second = await call(till, contract, body)
      bank.answer()
      const transaction = memberOf(await first, member)
      assert.ok(Number(transaction) > 0)
      assert.deepEqual([second.error, memberOf(second, member)], ['key_running', transaction])
    })
  }

  test('names both transactions of a void', async () => {
    const full = world()
    const shop = await openTill(full)
    const sale = memberOf(await call(shop, chargeCardContract, saleBody), 'TxID')
    const bank = waitingBank(full)
    const till = { ...shop, needs: bank.needs }
    const first = call(till, voidSaleContract, { TxID: sale })
    await bank.asked
    const second = await call(till, voidSaleContract, { TxID: sale })
    bank.answer()
    const voidId = memberOf(await first, 'VoidTxID')
    assert.ok(Number(voidId) > 0)
    assert.deepEqual(
      [second.error, memberOf(second, 'TxID'), memberOf(second, 'VoidTxID')],
      ['key_running', sale, voidId],
    )
  })
})

test('what was charged under a key is told again while the acquirer cannot be reached', async () => {
  const till = await openTill(world())
  const body = chargeCardContract.example.request
  const first = await call(till, chargeCardContract, body)
  const line = { isUp: false, check: async () => undefined }
  const away = { ...till, needs: { ...till.needs, line } }
  const again = await call(away, chargeCardContract, body)
  assert.ok(Number(memberOf(first, 'TxID')) > 0)
  assert.deepEqual(again.result, first.result)
  assert.equal(again.notes['Idempotent-Replayed'], 'true')
})

// As if somebody else had sent the same call, and it had been done since this one was admitted.
function secondOf(contract: ContractFacts): (typeof operations)[number] {
  const operation = operations.find((one) => one.contract === contract)
  assert.ok(operation)
  const answer: typeof operation.answer = async (...asked) => {
    await operation.answer(...asked)
    return operation.answer(...asked)
  }
  return { ...operation, answer }
}

describe('the second of two calls in the very same moment is told what the first did', () => {
  test('a token was charged', async () => {
    const shop = await openShop(world())
    const { consentToken: TokenID } = await buy(shop, { saves: true })
    const { needs, caller } = shop
    const body = { TokenID, ChargeAmt: 5 }
    const told = await answerOnce(needs, secondOf(chargeConsentTokenContract), { caller, key: 'k-1', body })
    assert.deepEqual([told.error, memberOf(told, 'TxApproved')], [null, true])
    assert.equal((await findRecords(shop, '(G=3)')).length, 1)
  })

  for (const CreditAmt of [25.5, 20, 5]) {
    test(`${CreditAmt} of an order was given back, whatever is left of it`, async () => {
      const shop = await openShop(world())
      const { transactionId: TransID } = await buy(shop)
      const { needs, caller } = shop
      const body = { TransID, CreditAmt }
      const told = await answerOnce(needs, secondOf(undoOrderContract), { caller, key: 'k-1', body })
      assert.deepEqual([told.error, memberOf(told, 'CreditAmt')], [null, CreditAmt])
      assert.equal((await findRecords(shop, '(G=2)')).length, 1)
    })
  }

  test('a sale was voided', async () => {
    const till = await openTill(world())
    const { needs, caller } = till
    const body = { TxID: await sell(till, 10) }
    const told = await answerOnce(needs, secondOf(voidSaleContract), { caller, key: 'k-1', body })
    assert.deepEqual([told.error, memberOf(told, 'TxApproved')], [null, true])
  })
})

test('a token in capitals is the same token, told as it is stored, also by a repetition', async () => {
  const shop = await openShop(world())
  const { consentToken } = await buy(shop, { saves: true })
  const body = { TokenID: consentToken.toUpperCase(), ChargeAmt: 5 }
  const first = await call(shop, chargeConsentTokenContract, body)
  assert.equal(memberOf(first, 'RespMsg'), `Successfully charged Consent ${consentToken} For €5.00`)
  const second = await call(shop, chargeConsentTokenContract, body)
  assert.deepEqual(second, { ...first, notes: { ...first.notes, 'Idempotent-Replayed': 'true' } })
})

describe('a consent on an account that does not verify cards', () => {
  const replayed = { 'Idempotent-Replayed': 'true' }
  const body = createAnnualConsentContract.example.request

  test('is made once, and told again as it was, even when it could not be made any more', async () => {
    const till = await openTill(world(), { verifiesCards: false })
    const first = await call(till, createAnnualConsentContract, body)
    assert.ok(Number(memberOf(first, 'ConsentID')) > 0)
    assert.deepEqual(first.notes, {})
    // By now the card has expired.
    till.needs.clock.advance({ hours: 24 * 365 * 5 })
    const second = await call(till, createAnnualConsentContract, body)
    assert.deepEqual(second, { ...first, notes: replayed })
    assert.deepEqual(await eventsOf(till.needs.db, till.caller), ['consent.created'])
  })

  test('is told again by the ten who ask at once, and made once', async () => {
    const till = await openTill(world(), { verifiesCards: false })
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call(till, createAnnualConsentContract, body)),
    )
    assert.equal(new Set(answers.map((answer) => memberOf(answer, 'ConsentID'))).size, 1)
    assert.equal(answers.filter(({ notes }) => notes['Idempotent-Replayed'] === 'true').length, 9)
    assert.deepEqual(await eventsOf(till.needs.db, till.caller), ['consent.created'])
    assert.equal(await bankMinor(till.needs), 0n)
  })

  test('is not made under the key of another request', async () => {
    const till = await openTill(world(), { verifiesCards: false })
    await call(till, createAnnualConsentContract, body)
    const other = { ...body, ConsentCreator: { MerchID: 1, CustomerRefID: 'another' } }
    assert.equal((await call(till, createAnnualConsentContract, other)).error, 'key_reused')
  })
})

test('a plan whose card is not verified is made once, and told again with its schedule', async () => {
  const till = await openTill(world(), { verifiesCards: false })
  const body = createRecurringConsentContract.example.request
  const first = await call(till, createRecurringConsentContract, body)
  assert.ok(Number(memberOf(first, 'ConsentID')) > 0)
  const second = await call(till, createRecurringConsentContract, body)
  assert.deepEqual(second, { ...first, notes: { 'Idempotent-Replayed': 'true' } })
  assert.deepEqual(await eventsOf(till.needs.db, till.caller), ['consent.created'])
})

describe('a token for another merchant record does not hear by its key the answer of', () => {
  for (const [contract, body] of [
    [chargeCardContract, chargeCardContract.example.request],
    [createAnnualConsentContract, createAnnualConsentContract.example.request],
    [createRecurringConsentContract, createRecurringConsentContract.example.request],
    [initFormContract, formOrder()],
    [makeLinkContract, linkOrder()],
  ] as const) {
    test(contract.path, async () => {
      const till = await openTill(world(), { verifiesCards: false })
      const first = await call(till, contract, body)
      assert.equal(first.error, null)
      const only = (merchant: number) => ({
        ...till,
        caller: { ...till.caller, merchantNumber: merchantNumber(merchant) },
      })
      const elsewhere = await call(only(2), contract, body)
      assert.deepEqual([elsewhere.error, elsewhere.notes], ['merchant_not_found', {}])
      const here = await call(only(1), contract, body)
      assert.deepEqual(here, { ...first, notes: { ...first.notes, 'Idempotent-Replayed': 'true' } })
    })
  }
})
