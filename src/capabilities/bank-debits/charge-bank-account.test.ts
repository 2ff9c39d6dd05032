import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findItem } from '#capabilities/bank-debits/bank-item.store.ts'
import { repeatBankCharge } from '#capabilities/bank-debits/charge-bank-account.operation.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import { currencyCode } from '#kernel/currency.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { requestReader } from '#capabilities/wire/read-request.ts'
import { bankSale, debit, openCounter, saleOf, toldBy } from '../../../test/support/bank-world.ts'
import { makeAccount, makeMerchant, useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

test('a debit is recorded, approved and open until the next settlement', async () => {
  const counter = await openCounter(world())
  const { needs, caller } = counter
  const told = toldBy(await bankSale.answer(needs, caller, saleOf()))
  const { AuthID, TxApproved, TxID, uniqueTranID } = told.members
  assert.equal(told.text, `APPROVED ${AuthID}`)
  assert.equal(TxApproved, true)
  assert.match(String(uniqueTranID), /^[0-9a-f]{24}$/)
  const item = await findItem(needs.db, { account: caller.accountId, id: BigInt(Number(TxID)) })
  assert.deepEqual([item?.status, item?.kind, item?.total.minor], ['open', 'debit', 2550n])
  assert.deepEqual([item?.details.lastFour, item?.details.clientRef], ['6789', 'order-1002'])
  assert.equal((await verifyLedger(needs.db)).isSound, true)
})

test('the stored answer is the answer', async () => {
  const counter = await openCounter(world())
  const TxID = await debit(counter)
  const { needs, caller } = counter
  const attempt = await findAttemptOf(needs, { account: caller.accountId, attempt: attemptId(BigInt(TxID)) })
  assert(attempt)
  const again = await repeatBankCharge(needs, attempt)
  assert(again.ok)
  assert.equal(again.value.attemptId, BigInt(TxID))
})

test('a key that is used twice at once debits once', async () => {
  const { needs, caller } = await openCounter(world())
  const keyed = { ...caller, callerKey: { operation: 'ACH/Sale', key: 'k1', fingerprint: Buffer.from('f') } }
  const answers = await Promise.all(Array.from({ length: 8 }, () => bankSale.answer(needs, keyed, saleOf())))
  assert.equal(answers.filter(({ ok }) => ok).length, 1)
  const refused = answers.filter((answer) => !answer.ok).map((answer) => toldBy(answer).code)
  assert.deepEqual(new Set(refused), new Set([4091]))
})

for (const [what, details, problem] of [
  ['a wrong check digit', { RoutingNumber: '110000001' }, /ChargeDetails.RoutingNumber/],
  ['eight digits as routing number', { RoutingNumber: '11000000' }, /ChargeDetails.RoutingNumber/],
  ['three digits as account', { AccountNumber: '123' }, /ChargeDetails.AccountNumber/],
  ['letters as account', { AccountNumber: '12345X' }, /ChargeDetails.AccountNumber/],
  ['an amount of 0', { Amount: 0 }, /ChargeDetails.Amount must be more than 0/],
  ['three decimals', { Amount: 1.005 }, /ChargeDetails.Amount has more decimals/],
  ['more than the network carries', { Amount: 100_000_000 }, /at most 99999999.99/],
] as const) {
  test(`${what} is refused by name, and nothing is recorded`, async () => {
    const { needs, caller } = await openCounter(world())
    const told = toldBy(await bankSale.answer(needs, caller, saleOf(details)))
    assert.equal(told.code, 4003)
    assert.match(told.text, problem)
    assert.deepEqual(told.members, { AuthID: '', TxApproved: false, TxID: 0, uniqueTranID: '' })
  })
}

for (const AccountType of [0, 5]) {
  test(`account type ${AccountType} is refused by name`, () => {
    const read = requestReader(bankSale.contract.request)(saleOf({ AccountType }))
    assert(!read.ok)
    assert.match(String(read.refusal.details['problem']), /AccountType/)
  })
}

test('an account without any name is refused', async () => {
  const { needs, caller } = await openCounter(world())
  const told = toldBy(
    await bankSale.answer(needs, caller, saleOf({}, { AcctHolder: { Email: 'a@example.com' } })),
  )
  assert.deepEqual([told.code, told.text], [4002, 'AcctHolder.Lastname is missing'])
})

test('a record that takes no bank debits, or works in euros, refuses them', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const euros = currencyCode('EUR')
  assert(euros)
  await makeMerchant(needs, account, { takesAch: false })
  await makeMerchant(needs, account, { currency: euros })
  const { caller } = await openCounter(needs)
  const own = { ...caller, accountId: account.accountId }
  for (const MerchID of [2, 3]) {
    const told = toldBy(await bankSale.answer(needs, own, saleOf({}, { MerchID })))
    assert.deepEqual([told.code, told.text], [6004, `Merchant record ${MerchID} takes no bank debits`])
  }
  const bound = { ...own, merchantNumber: merchantNumber(2) }
  assert.equal(toldBy(await bankSale.answer(needs, bound, saleOf())).code, 6001)
})
