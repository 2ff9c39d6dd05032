import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { chargeCard } from '#capabilities/sales/charge-card.operation.ts'
import { creditSaleContract } from '#capabilities/sales/credit-sale.contract.ts'
import { creditSale, repeatCredit } from '#capabilities/sales/credit-sale.operation.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import { repeatVoid, voidSale } from '#capabilities/sales/void-sale.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { serve, type WireAnswer } from '#capabilities/wire/contract.ts'
import { refusedEnvelope } from '#capabilities/wire/envelope.ts'
import type { MerchantSettings } from '#engine/merchants/merchant.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import type { Currency } from '#kernel/currency.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { impatient, makeCaller } from '../../../test/support/consent-world.ts'
import { makeAccount, makeMerchant, useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()
const chargeOperation = serve(chargeCardContract, chargeCard)
const voidOperation = serve(voidSaleContract, voidSale, repeatVoid)
const creditOperation = serve(creditSaleContract, creditSale, repeatCredit)

type Till = { readonly needs: World; readonly caller: Caller; readonly record: number }
type Told = { readonly code: number; readonly text: string; readonly members: Record<string, unknown> }

// A till whose record takes a surcharge of 3 %, so that credits have a fee to give back.
async function openTill(settings: Partial<MerchantSettings> = {}, needs = world()): Promise<Till> {
  const account = await makeAccount(needs, { allowsPartialApprovals: true })
  const fees = { feeKind: 'surcharge', feeBasisPoints: 300, region: 'US-IL' } as const
  await makeMerchant(needs, account, { ...fees, ...settings })
  return { needs, caller: await makeCaller(needs, account), record: 2 }
}

function toldBy(answer: WireAnswer): Told {
  if (answer.ok) return { code: 0, text: answer.reply.message, members: { ...answer.reply.members } }
  const { ErrCode: code, RespMsg } = refusedEnvelope(answer.refusal)
  return { code, text: RespMsg, members: { ...answer.members } }
}

async function sell({ needs, caller, record }: Till, Amounts: object): Promise<number> {
  const body = { ...chargeCardContract.example.request, Amounts, MerchID: record }
  return Number(toldBy(await chargeOperation.answer(needs, caller, body)).members['TxID'])
}

async function credit({ needs, caller }: Till, TxID: number, CreditAmount: number): Promise<Told> {
  return toldBy(await creditOperation.answer(needs, caller, { TxID, CreditAmount }))
}

async function undo({ needs, caller }: Till, TxID: number): Promise<Told> {
  return toldBy(await voidOperation.answer(needs, caller, { TxID }))
}

const balancesStatement = statement(
  'test_balances_after_credits',
  [int8],
  { name: text, balance: int8 },
  `select name, sum(amount)::int8 as balance
   from (
     select debit as name, amount_minor as amount from posting where account_id = $1
     union all select credit, -amount_minor from posting where account_id = $1
   ) as side
   group by name having sum(amount) <> 0 order by name`,
)

async function booksOf({ needs: { db }, caller }: Till): Promise<readonly string[]> {
  const rows = await db.run(balancesStatement, [caller.accountId])
  return rows.map(({ name, balance }) => `${name} ${balance}`)
}

const feesStatement = statement(
  'test_fees_of_credits',
  [int8],
  { fee_minor: int8 },
  `select fee_minor from payment where parent_id = $1 and kind = 'credit' order by payment_id`,
)

async function feesOf({ needs: { db } }: Till, sale: number): Promise<readonly bigint[]> {
  return (await db.run(feesStatement, [BigInt(sale)])).map(({ fee_minor }) => fee_minor)
}

const withFee = { BaseAmt: 100, Surcharge: 3, TotalAmt: 103 }

test('a credit of a part gives back its share of the fee, to the cent', async () => {
  const till = await openTill()
  const sale = await sell(till, withFee)
  assert.deepEqual(await booksOf(till), ['acquirer 10300', 'fees -300', 'merchant -10000'])
  const told = await credit(till, sale, 33.33)
  const id = Number(told.members['TxID'])
  assert.deepEqual([told.code, told.members['TxApproved']], [0, true])
  assert.equal(told.text, `Successful Credit Pending Transaction ID : ${String(id).padStart(6, '0')}`)
  assert.deepEqual(await booksOf(till), ['acquirer 6967', 'fees -203', 'merchant -6764'])
})

test('several credits give back exactly what was paid, and the last takes the remainder', async () => {
  const till = await openTill()
  const sale = await sell(till, withFee)
  for (const amount of [0.5, 33.17, 33.17, 36.16]) assert.equal((await credit(till, sale, amount)).code, 0)
  assert.deepEqual(await booksOf(till), [])
  const over = await credit(till, sale, 0.01)
  assert.deepEqual([over.code, over.text], [6702, `Nothing of transaction ${sale} can still be credited`])
})

test('of two credits at once, the share of the fee that one gives back counts for the other', async () => {
  const till = await openTill()
  const [sale, like] = [await sell(till, withFee), await sell(till, withFee)]
  const { attempts } = till.needs
  // The slower one has been split by what was left before the faster one.
  const add: typeof attempts.add = async (attempt) => {
    assert.equal((await credit(till, sale, 17)).code, 0)
    return attempts.add(attempt)
  }
  const slower = { ...till, needs: { ...till.needs, attempts: { ...attempts, add } } }
  await credit(slower, sale, 17)
  const [interleaved, credits] = [await feesOf(till, sale), (await feesOf(till, sale)).length]
  for (let at = 0; at < credits; at += 1) await credit(till, like, 17)
  assert.deepEqual(interleaved, await feesOf(till, like), 'as one after the other')
  assert.equal(credits, 1, 'the slower one is refused')
})

test('a credit is never more than the sale', async () => {
  const till = await openTill()
  const sale = await sell(till, withFee)
  const over = await credit(till, sale, 103.01)
  assert.deepEqual([over.code, over.text], [6702, `Only 103.00 of transaction ${sale} can still be credited`])
  assert.equal((await credit(till, sale, 50)).code, 0)
  assert.equal((await credit(till, sale, 53.01)).code, 6702)
  assert.equal((await credit(till, sale, 53)).code, 0)
})

test('of a partial approval what was approved is credited', async () => {
  const till = await openTill({ feeKind: 'none', feeBasisPoints: 0 })
  const sale = await sell(till, { BaseAmt: 9900.1 })
  assert.equal((await credit(till, sale, 4950.06)).code, 6702)
  assert.equal((await credit(till, sale, 4950.05)).code, 0)
  assert.deepEqual(await booksOf(till), [])
})

test('of 20 credits of a whole sale at once one wins and the others are told so', async () => {
  const till = await openTill()
  const sale = await sell(till, withFee)
  const tolds = await Promise.all(Array.from({ length: 20 }, () => credit(till, sale, 103)))
  assert.equal(tolds.filter(({ code }) => code === 0).length, 1)
  const lost = tolds.filter(({ code }) => code !== 0)
  for (const { code, text: words } of lost)
    assert.match(`${code} ${words}`, /^670[12] .*cannot|^6702 (Only|Nothing)/)
  assert.deepEqual(await booksOf(till), [])
})

test('a credited sale is not voided, and a voided one not credited', async () => {
  const till = await openTill()
  const [first, second] = [await sell(till, withFee), await sell(till, withFee)]
  assert.equal((await credit(till, first, 1)).code, 0)
  const inPart = 'it has been credited in part: credit the rest of it instead'
  assert.equal((await undo(till, first)).text, `Transaction ${first} cannot be voided: ${inPart}`)
  assert.equal((await undo(till, second)).code, 0)
  assert.equal((await credit(till, second, 1)).text, `Transaction ${second} cannot be credited: it is voided`)
})

test('a sale that is credited in full is not voided, and nothing is left to advise', async () => {
  const till = await openTill()
  const id = await sell(till, withFee)
  assert.equal((await credit(till, id, 103)).code, 0)
  assert.equal(
    (await undo(till, id)).text,
    `Transaction ${id} cannot be voided: it has been credited in full`,
  )
})

test('a credit of nothing, of half a cent, of a decline or of a credit is refused', async () => {
  const till = await openTill()
  const sale = await sell(till, withFee)
  assert.equal((await credit(till, sale, 0)).code, 4003)
  const fine = await credit(till, sale, 0.005)
  assert.deepEqual([fine.code, fine.text], [4003, 'CreditAmount has more decimals than USD has'])
  const given = await credit(till, sale, 1)
  assert.equal((await credit(till, Number(given.members['TxID']), 1)).code, 6701)
  assert.equal((await credit(till, 987_654_321, 1)).code, 6724)
})

test('a token for one merchant record does not credit the sales of another', async () => {
  const till = await openTill()
  const sale = await sell(till, withFee)
  const bound = { ...till, caller: { ...till.caller, merchantNumber: merchantNumber(1) } }
  assert.equal((await credit(bound, sale, 1)).code, 6724)
})

test('a credit whose answer was lost is asked for and never sent again', async () => {
  const till = await openTill()
  const sale = await sell(till, withFee)
  till.needs.bank.faults.add({ verb: 'refund', delivery: { losesAnswer: true, hangsUp: true } })
  assert.equal((await credit(till, sale, 103)).code, 0)
  const verbs = (await till.needs.bank.log.read({ last: 10 })).map(({ verb }) => verb)
  assert.deepEqual(verbs, ['inquire', 'refund', 'authorize'])
  assert.deepEqual(await booksOf(till), [])
})

test('while the outcome of a credit is not known nothing else happens to its sale', async () => {
  const patient = await openTill()
  const till = { ...patient, needs: impatient(patient.needs) }
  const sale = await sell(till, withFee)
  till.needs.bank.faults.add({ verb: 'refund', delivery: { losesAnswer: true } })
  till.needs.bank.faults.add({ verb: 'inquire', times: 1, delivery: { losesAnswer: true } })
  assert.equal((await credit(till, sale, 103)).code, 9003)
  const busy = 'it is being voided or credited at this moment'
  assert.equal((await undo(till, sale)).text, `Transaction ${sale} cannot be voided: ${busy}`)
  assert.equal((await credit(till, sale, 1)).text, `Transaction ${sale} cannot be credited: ${busy}`)
  till.needs.clock.advance({ minutes: 5 })
  await recoverAttempts(till.needs)
  assert.equal((await credit(till, sale, 1)).text, `Nothing of transaction ${sale} can still be credited`)
  assert.deepEqual(await booksOf(till), [])
})

test('a credit that never arrived leaves its sale as it was', async () => {
  const patient = await openTill()
  const till = { ...patient, needs: impatient(patient.needs) }
  const sale = await sell(till, withFee)
  till.needs.bank.faults.add({ verb: 'refund', times: 1, delivery: { losesRequest: true } })
  assert.equal((await credit(till, sale, 103)).code, 9003)
  for (let round = 0; round < 6; round += 1) {
    till.needs.clock.advance({ minutes: 2 })
    await recoverAttempts(till.needs)
  }
  assert.equal((await credit(till, sale, 103)).code, 0)
  assert.deepEqual(await booksOf(till), [])
})

test('a credit that arrives after it was given up stands, because nobody takes a credit back', async () => {
  const patient = await openTill()
  const sale = await sell(patient, withFee)
  const { bank, acquirer, clock } = patient.needs
  const original = (await bank.log.read({ last: 1 })).at(0)?.ref ?? ''
  const late: typeof acquirer = {
    ...acquirer,
    refund: async () => ({ kind: 'unknown', because: 'timeout' }),
    reverse: async (ref, signal) => {
      const amount = { minor: 10_300n, currency: 'USD' as Currency }
      await bank.receive({ verb: 'refund', ref, original, amount }, { say: () => {}, hangUp: () => {} })
      return acquirer.reverse(ref, signal)
    },
  }
  const needs = { ...patient.needs, ...paymentEngine({ ...patient.needs, acquirer: late }), clock }
  const till = { ...patient, needs }
  assert.equal((await credit(till, sale, 103)).code, 9003)
  for (let round = 0; round < 6; round += 1) {
    clock.advance({ minutes: 2 })
    await recoverAttempts(needs)
  }
  assert.equal((await credit(till, sale, 1)).text, `Nothing of transaction ${sale} can still be credited`)
  assert.deepEqual(await booksOf(till), [])
})

test('a credit is told again as it was', async () => {
  const till = await openTill()
  const first = await credit(till, await sell(till, withFee), 10)
  const id = attemptId(BigInt(Number(first.members['TxID'])))
  const attempt = await findAttemptOf(till.needs, { account: till.caller.accountId, attempt: id })
  assert(attempt && creditOperation.replay)
  assert.deepEqual(toldBy(await creditOperation.replay(till.needs, attempt)), first)
})
