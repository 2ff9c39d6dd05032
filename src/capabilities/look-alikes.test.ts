import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lookAlikeFollower } from '#engine/look-alikes/look-alike.follower.ts'
import { removeOldLookAlikes } from '#engine/look-alikes/remove-old-look-alikes.operation.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import { makeConsent } from '../../test/support/consent-world.ts'
import {
  charge,
  chargeConsent,
  codeOf,
  debit,
  heldBy,
  idOf,
  openWatchfulTill,
  watch,
  type Wish,
} from '../../test/support/look-alike-world.ts'
import { buy, findRecords, openShop, proc } from '../../test/support/order-world.ts'
import { makeMerchant, useWorld } from '../../test/support/session-world.ts'
import { call, openTill } from '../../test/support/till.ts'

const world = useWorld()

test('a record that does not ask for it charges as often as it is told, and follows nothing', async () => {
  const till = await openTill(world())
  const first = await charge(till)
  assert.deepEqual([first.code, await codeOf(charge(till))], [0, 0])
  const key = { account: till.account.accountId, attempt: attemptId(BigInt(idOf(first))) }
  assert.deepEqual((await findAttemptOf(till.needs, key))?.following, [])
  assert.equal(await heldBy(till), 0)
})

test('a look-alike is turned down, and hears of the transaction that it looks like', async () => {
  const till = await openWatchfulTill(world())
  const first = await charge(till)
  const second = await charge(till)
  const code = first.members['TxnCode']
  assert.deepEqual(
    [second.code, second.text],
    [
      6705,
      `DUPLICATE of transaction ${idOf(first)}, which was approved with code ${code}. ` +
        'Nothing was charged by this call',
    ],
  )
  const { TxID, TxApproved, TxnCode } = second.members
  assert.deepEqual([TxID, TxApproved, TxnCode], [idOf(first), false, ''])
  assert.equal((await till.needs.bank.log.read({ last: 10 })).length, 1)
})

const seconds: readonly (readonly [string, Wish, 0 | 6705])[] = [
  ['the same', {}, 6705],
  ['of the same reference alone', { guid: '' }, 6705],
  ['of the same guid alone', { ref: '' }, 6705],
  ['of the same reference and another guid', { guid: 'basket-2' }, 6705],
  ['of another card', { card: '5555555555554444' }, 6705],
  ['without references', { ref: '', guid: '' }, 0],
  ['of other references', { ref: 'order-2', guid: 'basket-2' }, 0],
  ['of another total', { amount: 6 }, 0],
  ['of another record', { record: 2 }, 0],
  ['of a guid that was a reference', { ref: 'basket-1', guid: 'order-1' }, 0],
  ['of a reference in capitals', { ref: 'ORDER-1', guid: '' }, 0],
]
for (const [what, wish, code] of seconds) {
  test(`a second charge ${what} is ${code === 0 ? 'made' : 'turned down'}`, async () => {
    const till = await openWatchfulTill(world())
    await makeMerchant(till.needs, till.account, { lookAlikeSeconds: 60 })
    assert.equal(await codeOf(charge(till)), 0)
    assert.equal(await codeOf(charge(till, wish)), code)
  })
}

test('charges without a reference never look alike', async () => {
  const till = await openWatchfulTill(world())
  const bare = { ref: '', guid: '' }
  assert.deepEqual([await codeOf(charge(till, bare)), await codeOf(charge(till, bare))], [0, 0])
})

test('the same is another purchase when the time is over, and not before', async () => {
  const till = await openWatchfulTill(world())
  const { clock } = till.needs
  await charge(till)
  clock.advance({ seconds: 59 })
  assert.equal(await codeOf(charge(till)), 6705)
  clock.advance({ seconds: 1 })
  assert.equal(await codeOf(charge(till)), 0)
  clock.advance({ seconds: 59 })
  assert.equal(await codeOf(charge(till)), 6705)
})

test('a record that asks no longer makes charges that look alike', async () => {
  const till = await openWatchfulTill(world())
  await charge(till)
  await watch(till, 0)
  assert.equal(await codeOf(charge(till)), 0)
})

test('one who names two references and is turned down by one of them keeps neither', async () => {
  const till = await openWatchfulTill(world())
  await charge(till)
  assert.equal(await codeOf(charge(till, { ref: 'order-2' })), 6705)
  assert.equal(await codeOf(charge(till, { ref: 'order-2', guid: 'basket-2' })), 0)
})

test('under a consent a reference counts for that consent, and only if the request carries it', async () => {
  const till = await openWatchfulTill(world())
  const { needs, caller } = till
  const stored = { creator: { CustomerRefID: 'stored', RPGUID: 'stored' } }
  const [first, second] = [await makeConsent(needs, caller, stored), await makeConsent(needs, caller, stored)]
  assert.deepEqual(
    [await codeOf(chargeConsent(till, first)), await codeOf(chargeConsent(till, first))],
    [0, 0],
  )
  assert.equal(await codeOf(chargeConsent(till, first, 'order-1')), 0)
  assert.equal(await codeOf(chargeConsent(till, second, 'order-1')), 0)
  assert.equal(await codeOf(charge(till, { guid: '' })), 0)
  assert.equal(await codeOf(chargeConsent(till, first, 'order-1')), 6705)
})

test('a bank debit counts beside cards, and gives its reference back when it is voided', async () => {
  const till = await openWatchfulTill(world())
  const first = await debit(till, 'order-1')
  assert.equal(first.code, 0)
  const second = await debit(till, 'order-1')
  const { TxID, TxApproved, AuthID } = second.members
  assert.deepEqual([second.code, TxID, TxApproved, AuthID], [6705, idOf(first), false, ''])
  assert.equal(await codeOf(charge(till, { guid: '' })), 6705)
  assert.equal(await codeOf(call(till, 'ACH/Void', { TxID })), 0)
  assert.equal(await codeOf(debit(till, 'order-1')), 0)
})

test('an international record turns look-alikes down without leaving an order', async () => {
  const shop = await openShop(world())
  await watch(shop, 60, 2)
  const sale = { record: 2, guid: '' }
  assert.deepEqual([await codeOf(charge(shop, sale)), await codeOf(charge(shop, sale))], [0, 6705])
  assert.equal((await findRecords(shop, '(A=2)')).length, 1)
})

test('a consent token is charged as often as it is asked for: its call carries no reference', async () => {
  const shop = await openShop(world())
  await watch(shop, 60, 2)
  const { consentToken } = await buy(shop, { saves: true })
  const codes = [await codeOf(proc(shop, consentToken, 5)), await codeOf(proc(shop, consentToken, 5))]
  assert.deepEqual(codes, [0, 0])
  assert.equal(await heldBy(shop), 0)
})

test('references whose time is over are forgotten, and others are not', async () => {
  const till = await openWatchfulTill(world())
  const { clock } = till.needs
  await charge(till)
  clock.advance({ seconds: 59 })
  await charge(till, { ref: 'order-2', guid: '' })
  clock.advance({ seconds: 1 })
  await removeOldLookAlikes(till.needs)
  assert.equal(await heldBy(till), 1)
  assert.equal(await codeOf(charge(till, { ref: 'order-2', guid: '' })), 6705)
})

// Stored with attempts, so it never changes.
test('the follower keeps its name', () => {
  assert.equal(lookAlikeFollower.name, 'look_alike')
})
