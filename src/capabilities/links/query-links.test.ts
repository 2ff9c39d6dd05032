import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLink, formOf, makeLink, pressPay } from '../../../test/support/link-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill } from '../../../test/support/till.ts'

const world = useWorld()

test('links are found by id, by address, by reference and by recipient, newest first', async () => {
  const till = await openTill(world())
  const text = { MessageType: 'TEXT', Person: { Phone: '+12125550123' } }
  const urls = [await makeLink(till, text), await makeLink(till, { RefID: 'other' })].map(({ url }) => url)
  const asked = async (body: object) => {
    const { members } = await call(till, 'Link/Query', body)
    return [members['Links']].flat().map((link) => String(Object(link)['PaymentUrl']))
  }
  assert.deepEqual(await asked({}), urls.toReversed())
  const { LinkID } = await findLink(till, String(urls[0]))
  assert.deepEqual(await asked({ LinkID }), [urls[0]])
  assert.deepEqual(await asked({ LinkID, RefID: 'other' }), [])
  assert.deepEqual(await asked({ RefID: 'other' }), [urls[1]])
  assert.deepEqual(await asked({ RefID: '+12125550123' }), [urls[0]])
  assert.deepEqual(await asked({ PaymentUrl: urls[0] }), [urls[0]])
  assert.deepEqual(await asked({ PaymentUrl: String(urls[0]).toUpperCase().replace('/SW/', '/sw/') }), [
    urls[0],
  ])
})

test('at most 100 are shown, the newest, and the answer says so', async () => {
  const till = await openTill(world())
  await Promise.all(Array.from({ length: 100 }, () => makeLink(till)))
  assert.equal((await call(till, 'Link/Query', {})).text, 'Found 100 links')
  const { url } = await makeLink(till)
  const { text, members } = await call(till, 'Link/Query', {})
  assert.equal(text, 'Found more than 100 links; these are the newest')
  const links = [members['Links']].flat()
  assert.deepEqual([links.length, Object(links[0])['PaymentUrl']], [100, url])
})

test('a payment by a link is looked up as one of the call that made the link', async () => {
  const till = await openTill(world())
  const payer = await makeLink(till)
  await pressPay(payer)
  const { TransactionID: TxID } = await findLink(till, payer.url)
  const [found] = [(await call(till, 'Operation/Lookup', { TxID })).members['Operations']].flat()
  assert.equal(Object(found)['Operation'], 'Other/SMSPay')
})

test('links of another account are not found, not even by their address or id', async () => {
  const needs = world()
  const till = await openTill(needs)
  const { url } = await makeLink(till)
  const { LinkID } = await findLink(till, url)
  const stranger = await openTill(needs)
  for (const body of [{ PaymentUrl: url }, { LinkID }])
    assert.deepEqual((await call(stranger, 'Link/Query', body)).members['Links'], [])
})

test('what is no address of a link is refused', async () => {
  const told = await call(await openTill(world()), 'Link/Query', { PaymentUrl: 'https://pay.example/x' })
  assert.match(told.text, /PaymentUrl is no address of a link/)
})

test('a link says what it was made with', async () => {
  const till = await openTill(world())
  const { url } = await makeLink(till, { DueOn: '2026/11/20', Amount: 40.5, SingleUse: 0, RPGUID: 'visit-7' })
  const { Amount, Currency, SingleUse, DueOn, RefID, RPGUID, MessageType } = await findLink(till, url)
  assert.deepEqual(
    [Amount, Currency, SingleUse, DueOn, RefID, RPGUID, MessageType],
    [40.5, 'USD', 0, '2026-11-20T00:00:00.000Z', 'invoice-1042', 'visit-7', 'URLONLY'],
  )
})

test('a link for one payment stays paid when that is voided, and takes no other', async () => {
  const till = await openTill(world())
  const payer = await makeLink(till)
  assert.equal((await pressPay(payer)).kind, 'paid')
  const { TransactionID: TxID } = await findLink(till, payer.url)
  assert.equal((await call(till, 'CardSale/Void', { TxID })).members['TxApproved'], true)
  const { State, Payments, TransactionID } = await findLink(till, payer.url)
  assert.deepEqual([State, Payments, TransactionID], ['PAID', 1, TxID])
  assert.equal((await formOf(payer)).standing, 'paid')
  assert.equal((await pressPay(payer)).kind, 'stale')
})
