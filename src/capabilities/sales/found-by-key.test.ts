import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merchantNumber } from '#kernel/ids.ts'
import { formOrder } from '../../../test/support/form-world.ts'
import { findLink, makeLink, sendPath } from '../../../test/support/link-world.ts'
import { makePlan } from '../../../test/support/plan-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, sell, type Till, useTerminal, withKey } from '../../../test/support/till.ts'

const world = useWorld()

type Listed = Readonly<Record<string, unknown>>

async function find(till: Till, IdempotencyKey: string): Promise<readonly Listed[]> {
  const { members } = await call(till, 'Operation/Lookup', { IdempotencyKey })
  return Object(members['Operations'])
}

const settling = 'Settlement/ExecuteBatch_All'
const settle = (till: Till, key: string) => call(withKey(till, key, settling), settling, { MerchID: 1 })

async function makeForm(till: Till, key: string): Promise<void> {
  const path = 'CardSale/InitForm'
  const told = await call(withKey(till, key, path), path, formOrder())
  assert.equal(told.code, 0, told.text)
}

const nothing = { TxID: 0, ConsentID: 0, RefTxID: 0, CreatedOn: '2027-01-15T10:00:00.000Z' }

test('a settlement is found by the key it was sent with, as the batch that it closed', async () => {
  const till = await openTill(world())
  await sell(till, 25)
  assert.equal((await settle(till, 'close-1')).code, 0)
  const Amounts = { BaseAmt: 25, Surcharge: 0, TotalAmt: 25 }
  assert.deepEqual(await find(till, 'close-1'), [
    { ...nothing, Kind: 'batch', Operation: settling, State: 'approved', Amounts },
  ])
})

test('a settlement that the bank declined stays so, also when another call settles the batch', async () => {
  const till = await openTill(world())
  await sell(till, 25)
  await useTerminal(till, 'REJECT1')
  await settle(till, 'close-1')
  await useTerminal(till, 'T1')
  await settle(till, 'close-2')
  const stateOf = async (key: string) => (await find(till, key)).map(({ State }) => State)
  assert.deepEqual(await stateOf('close-1'), ['declined'])
  assert.deepEqual(await stateOf('close-2'), ['approved'])
})

test('a settlement that closed nothing has not used its key, so nothing is found', async () => {
  const till = await openTill(world())
  assert.equal((await settle(till, 'close-1')).code, 0)
  assert.deepEqual(await find(till, 'close-1'), [])
})

test('a form is found by the key it was ordered with', async () => {
  const till = await openTill(world())
  await makeForm(till, 'form-1')
  const Amounts = { BaseAmt: 125, Surcharge: 0, TotalAmt: 125 }
  assert.deepEqual(await find(till, 'form-1'), [
    { ...nothing, Kind: 'form', Operation: 'CardSale/InitForm', State: 'approved', Amounts },
  ])
})

test('a payment link is found by the key it was ordered with, or sent again with', async () => {
  const till = await openTill(world())
  const text = { MessageType: 'TEXT', Person: { Phone: '+12125550123' } }
  const { url } = await makeLink(withKey(till, 'link-1', sendPath), text)
  const resend = 'Link/Resend'
  const { LinkID } = await findLink(till, url)
  assert.equal((await call(withKey(till, 'again-1', resend), resend, { LinkID })).code, 0)
  const Amounts = { BaseAmt: 125, Surcharge: 0, TotalAmt: 125 }
  const found = { ...nothing, Kind: 'link', State: 'approved', Amounts }
  assert.deepEqual(await find(till, 'link-1'), [{ ...found, Operation: sendPath }])
  assert.deepEqual(await find(till, 'again-1'), [{ ...found, Operation: resend }])
})

test('a run of scheduled payments is found by its key as the sales that it has made', async () => {
  const till = await openTill(world())
  const path = 'RecurringSchedule/ProcessScheduledPayments'
  const good = await makePlan(till.needs, till.caller)
  const bad = await makePlan(till.needs, till.caller, { card: '4000000000000341' })
  assert.equal((await call(withKey(till, 'run-1', path), path, { MerchID: 1 })).code, 0)
  const found = await find(till, 'run-1')
  assert.deepEqual(
    new Set(found.map(({ ConsentID, State, Kind, Operation }) => [ConsentID, State, Kind, Operation].join())),
    new Set([`${good.consent},approved,sale,${path}`, `${bad.consent},declined,sale,${path}`]),
  )
  assert.ok(found.every(({ TxID }) => Number(TxID) > 0))
  const bound = { ...till, caller: { ...till.caller, merchantNumber: merchantNumber(2) } }
  assert.deepEqual(await find(bound, 'run-1'), [])
})

test('one key of a sale, a form and a link finds all three', async () => {
  const till = await openTill(world())
  await sell(withKey(till, 'order-1'), 10)
  await makeForm(till, 'order-1')
  await makeLink(withKey(till, 'order-1', sendPath))
  const kinds = (await find(till, 'order-1')).map(({ Kind }) => String(Kind))
  assert.deepEqual(new Set(kinds), new Set(['form', 'link', 'sale']))
})

test('no batch, form or link of another account or merchant record is found', async () => {
  const needs = world()
  const [own, other] = [await openTill(needs), await openTill(needs)]
  await sell(own, 25)
  await settle(own, 'all-1')
  await makeForm(own, 'all-1')
  await makeLink(withKey(own, 'all-1', sendPath))
  assert.equal((await find(own, 'all-1')).length, 3)
  assert.deepEqual(await find(other, 'all-1'), [])
  const bound = { ...own, caller: { ...own.caller, merchantNumber: merchantNumber(2) } }
  assert.deepEqual(await find(bound, 'all-1'), [])
})
