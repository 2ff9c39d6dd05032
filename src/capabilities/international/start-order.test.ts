import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOrder } from '#capabilities/international/start-order.operation.ts'
import { findOrder } from '#engine/orders/find-order.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { impatient } from '../../../test/support/consent-world.ts'
import { failingWhere } from '../../../test/support/due-work.ts'
import {
  buy,
  cards,
  challenge,
  challengeIdOf,
  comeBack,
  confirmAtBank,
  openShop,
  ownerOf,
  payerOrder,
  proc,
  findRecords,
  stepsOf,
} from '../../../test/support/order-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

const redirected = ['SALE REDIRECT/REDIRECT 25.5', 'SALE REDIRECT/3DS 25.5']

for (const [words, card] of [
  ['a card that its bank recognizes', cards.recognized],
  ['a card that takes no part in 3-D Secure', cards.ordinary],
] as const) {
  test(`${words} skips the challenge, not the records`, async () => {
    const shop = await openShop(world())
    const paid = await buy(shop, { card })
    assert(paid.isApproved)
    assert.deepEqual(await stepsOf(shop, paid.transactionId), [...redirected, 'SALE SUCCESS/SETTLED 25.5'])
  })
}

test('a declined card leaves the reason in the last record', async () => {
  const shop = await openShop(world())
  const paid = await buy(shop, { card: cards.declining })
  assert.deepEqual([paid.isApproved, paid.because, paid.code], [false, 'issuer', '05'])
  assert.deepEqual(await stepsOf(shop, paid.transactionId), [...redirected, 'SALE DECLINED/DECLINED 25.5'])
  const [, , last] = await findRecords(shop, `(F='${paid.transactionId}')`)
  assert.equal(last?.['Decline_Reason'], 'DECLINED: the issuer gives no reason')
})

test('a bank that does not know the payer declines before anything is charged', async () => {
  const shop = await openShop(world())
  const paid = await buy(shop, { card: cards.rejected })
  assert.deepEqual([paid.isApproved, paid.because, paid.charge], [false, 'not_confirmed', null])
  assert.deepEqual(await stepsOf(shop, paid.transactionId), [...redirected, 'SALE DECLINED/DECLINED 25.5'])
  assert.deepEqual(await shop.needs.bank.log.read({ last: 10 }), [])
})

test('a bank that cannot be asked is an error, and nothing is charged', async () => {
  const shop = await openShop(world())
  const paid = await buy(shop, { card: cards.bankIsDown })
  assert.deepEqual([paid.isApproved, paid.because], [false, 'unreachable'])
  assert.deepEqual(await stepsOf(shop, paid.transactionId), [...redirected, 'SALE ERROR/DECLINED 25.5'])
})

test('a connector that breaks is a bank that cannot be asked', async () => {
  const needs = world()
  const broken = { ...needs.payerAuthentication, ask: () => Promise.reject(new Error('no line')) }
  const paid = await buy(await openShop({ ...needs, payerAuthentication: broken }))
  assert.deepEqual([paid.isApproved, paid.because], [false, 'unreachable'])
})

test('a challenge that succeeds is charged once, however often the payer comes back', async () => {
  const shop = await openShop(world())
  const order = await challenge(shop)
  assert.match(order.address, /^\/bank\/challenge\/[0-9a-f-]{36}$/)
  assert.doesNotMatch(order.sealedCard, /3220/)
  const early = await comeBack(shop, order)
  assert(early.ok && early.value.kind === 'open')
  await confirmAtBank(shop, order)
  const finished = await Promise.all([comeBack(shop, order), comeBack(shop, order), comeBack(shop, order)])
  const told = finished.map((one) => (one.ok ? one.value.kind : one.refusal.kind))
  assert(told.includes('paid'), told.join())
  assert(told.every((kind) => kind === 'paid' || kind === 'outcome_unknown'))
  const again = await comeBack(shop, order)
  assert(again.ok && again.value.kind === 'paid' && again.value.isApproved)
  assert.deepEqual(await stepsOf(shop, order.transactionId), [...redirected, 'SALE SUCCESS/SETTLED 25.5'])
  assert.equal((await shop.needs.bank.log.read({ last: 10 })).length, 1)
})

test('of three who come back at once with a card to keep, the one that is charged keeps it', async () => {
  const shop = await openShop(world())
  for (let round = 0; round < 5; round += 1) {
    const order = await challenge(shop, { saves: true })
    await confirmAtBank(shop, order)
    await Promise.all([comeBack(shop, order), comeBack(shop, order), comeBack(shop, order)])
    const again = await comeBack(shop, order)
    assert(again.ok && again.value.kind === 'paid' && again.value.isApproved)
    const charged = await proc(shop, again.value.consentToken, 5)
    assert.deepEqual([charged.code, charged.members['TxApproved']], [0, true], charged.text)
    const [, , settled] = await findRecords(shop, `(F='${order.transactionId}')`)
    assert.equal(settled?.['Recurring_Token'], again.value.consentToken)
  }
})

for (const [card, step] of [
  [cards.challengedThenDeclined, 'SALE DECLINED/DECLINED 25.5'],
  [cards.challengedThenError, 'SALE ERROR/DECLINED 25.5'],
] as const) {
  test(`a challenge that succeeds does not make a charge succeed: ${step}`, async () => {
    const shop = await openShop(world())
    const order = await challenge(shop, { card })
    await confirmAtBank(shop, order)
    const finished = await comeBack(shop, order)
    assert(finished.ok && finished.value.kind === 'paid' && !finished.value.isApproved)
    assert.deepEqual(await stepsOf(shop, order.transactionId), [...redirected, step])
  })
}

test('three wrong codes, or a payer who cancels, decline the order', async () => {
  const shop = await openShop(world())
  const [guessed, cancelled] = [await challenge(shop), await challenge(shop)]
  for (let tries = 0; tries < 3; tries += 1)
    await shop.needs.payerBank.answer(challengeIdOf(guessed), { kind: 'code', digits: 'xxxxxx' })
  await shop.needs.payerBank.answer(challengeIdOf(cancelled), { kind: 'cancel' })
  for (const order of [guessed, cancelled]) {
    const finished = await comeBack(shop, order)
    assert(finished.ok && finished.value.kind === 'paid')
    assert.equal(finished.value.because, 'not_confirmed')
    assert.deepEqual(await stepsOf(shop, order.transactionId), [...redirected, 'SALE DECLINED/DECLINED 25.5'])
  }
  assert.deepEqual(await shop.needs.bank.log.read({ last: 10 }), [])
})

test('a card that comes back changed, or with another order, is not charged', async () => {
  const shop = await openShop(world())
  const [order, other] = [await challenge(shop), await challenge(shop)]
  await confirmAtBank(shop, order)
  for (const sealedCard of [other.sealedCard, `${order.sealedCard.slice(0, -2)}AA`, '', 'nonsense']) {
    const finished = await comeBack(shop, { ...order, sealedCard })
    assert(!finished.ok && finished.refusal.kind === 'invalid_card', sealedCard)
  }
  const finished = await comeBack(shop, order)
  assert(finished.ok && finished.value.kind === 'paid' && finished.value.isApproved)
})

test('an order of another account is not found', async () => {
  const needs = world()
  const [shop, other] = [await openShop(needs), await openShop(needs)]
  const order = await challenge(shop)
  await confirmAtBank(shop, order)
  const finished = await comeBack(other, order)
  assert(!finished.ok && finished.refusal.kind === 'transaction_not_found')
})

test('an outcome that is not known is pending, and settled once the bank tells', async () => {
  const shop = await openShop(impatient(world()))
  const started = await startOrder(shop.needs, ownerOf(shop), payerOrder({ amount: '9900.98' }))
  assert(!started.ok && started.refusal.kind === 'outcome_unknown')
  const transactionId = started.refusal.known?.transactionId ?? ''
  const pending = await stepsOf(shop, transactionId)
  assert.equal(pending.at(-1), 'SALE ACCEPTED/PENDING 9900.98')
  shop.needs.clock.advance({ minutes: 3 })
  await recoverAttempts(shop.needs)
  const settled = await stepsOf(shop, transactionId)
  assert.deepEqual(settled.slice(2), ['SALE ACCEPTED/PENDING 9900.98', 'SALE SUCCESS/SETTLED 9900.98'])
})

test('an order that its bank took back itself is reversed, and tells no token', async () => {
  const shop = await openShop(impatient(world()))
  const { needs, account } = shop
  const asked = payerOrder({ amount: '9900.98', saves: true })
  const started = await startOrder(needs, ownerOf(shop), asked)
  assert(!started.ok && started.refusal.kind === 'outcome_unknown')
  const transactionId = started.refusal.known?.transactionId ?? ''
  const order = await findOrder(needs, { account: account.accountId, transactionId })
  assert(order?.saleRef && order.consentToken !== '')
  await needs.acquirer.reverse(order.saleRef, AbortSignal.timeout(5_000))
  needs.clock.advance({ minutes: 3 })
  await recoverAttempts(needs)
  assert.equal((await stepsOf(shop, transactionId)).at(-1), 'SALE SUCCESS/REVERSAL 9900.98')
  const tokens = (await findRecords(shop, `(F='${transactionId}')`)).map((one) => one['Recurring_Token'])
  assert.deepEqual(new Set(tokens), new Set(['']))
  assert.deepEqual(await findRecords(shop, `(W='${order.consentToken}')`), [])
  assert.equal((await proc(shop, order.consentToken, 5)).code, 6503)
})

test('orders are for international records, above 0, with the decimals of the currency', async () => {
  const shop = await openShop(world())
  const refused = async (wish: Parameters<typeof payerOrder>[0]) => {
    const started = await startOrder(shop.needs, ownerOf(shop), payerOrder(wish))
    return started.ok ? '' : started.refusal.kind
  }
  assert.equal(await refused({ record: 1 }), 'record_domestic')
  assert.equal(await refused({ record: 9 }), 'merchant_not_found')
  assert.equal(await refused({ amount: '0' }), 'value_out_of_range')
  assert.equal(await refused({ amount: '1.005' }), 'value_out_of_range')
})

for (const [currency, amount, told] of [
  ['JPY', '2550', 2550],
  ['KWD', '2.555', 2.555],
] as const) {
  test(`an order in ${currency} has its decimals`, async () => {
    const shop = await openShop(world(), currency)
    const paid = await buy(shop, { amount })
    const [last] = (await findRecords(shop, `(L=${amount})&&(B=3)`)).slice(-1)
    assert.deepEqual([last?.['Amount'], last?.['Currency']], [told, currency])
    assert.equal(last?.['Trans_ID'], paid.transactionId)
  })
}

test('nobody is told that nothing was paid when the database goes away behind the charge', async () => {
  const shop = await openShop(world())
  const away = new DatabaseUnavailable('The database does not answer')
  const db = failingWhere(shop.needs.db, (name) => name === 'find_order_by_transaction', away)
  const told = await startOrder({ ...shop.needs, db }, ownerOf(shop), payerOrder())
  assert(!told.ok)
  assert.equal(told.refusal.kind, 'outcome_unknown')
  const steps = await stepsOf(shop, told.refusal.known?.transactionId ?? '')
  assert.deepEqual(steps, [...redirected, 'SALE SUCCESS/SETTLED 25.5'])
})
