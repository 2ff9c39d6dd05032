import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expireLinksWork } from '#capabilities/links/expire-links.task.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { findLink, makeLink, pressPay } from '../../../test/support/link-world.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { call, openTill } from '../../../test/support/till.ts'

const world = useWorld()

test('a link is withdrawn, once and for all, and says so', async () => {
  const till = await openTill(world())
  const { url } = await makeLink(till)
  const { LinkID } = await findLink(till, url)
  for (let asked = 0; asked < 2; asked++) {
    const told = await call(till, 'Link/Withdraw', { LinkID })
    assert.deepEqual([told.code, told.text], [0, `Link ${String(LinkID)} is withdrawn`])
    assert.equal(Object(told.members['Link'])['State'], 'WITHDRAWN')
  }
})

test('a paid link is not withdrawn, nor an expired one', async () => {
  const till = await openTill(world())
  const payer = await makeLink(till)
  const { LinkID } = await findLink(till, payer.url)
  await pressPay(payer)
  assert.match((await call(till, 'Link/Withdraw', { LinkID })).text, /is paid and cannot be withdrawn/)
  const other = await findLink(till, (await makeLink(till)).url)
  till.needs.clock.advance({ hours: 24 * 31 })
  const told = await call(till, 'Link/Withdraw', { LinkID: other['LinkID'] })
  assert.match(told.text, /is expired and cannot be withdrawn/)
})

test('whoever is signed in for another record does not find it', async () => {
  const needs = world()
  const till = await openTill(needs)
  await makeMerchant(needs, till.account)
  const { url } = await makeLink(till)
  const { LinkID } = await findLink(till, url)
  const bound = { ...till, caller: { ...till.caller, merchantNumber: merchantNumber(2) } }
  for (const path of ['Link/Withdraw', 'Link/Resend'])
    assert.equal((await call(bound, path, { LinkID })).code, 6611, path)
  assert.deepEqual((await call(bound, 'Link/Query', { PaymentUrl: url })).members['Links'], [])
  assert.equal((await findLink(till, url))['State'], 'OPEN')
})

function deliveryOf({ Delivery, DeliveryProblem }: Readonly<Record<string, unknown>>) {
  return [Delivery, DeliveryProblem]
}

test('what still waits to be sent for a link that is over is not sent any more', async () => {
  const till = await openTill(world())
  const text = { MessageType: 'TEXT', Person: { Phone: '+12125550123' } }
  const [withdrawn, paid, expired] = [
    await makeLink(till, text),
    await makeLink(till, text),
    await makeLink(till, text),
  ]
  assert.equal((await findLink(till, paid.url))['Delivery'], 'WAITING')
  const { LinkID } = await findLink(till, withdrawn.url)
  const { members } = await call(till, 'Link/Withdraw', { LinkID })
  assert.deepEqual(deliveryOf(Object(members['Link'])), ['DEAD', 'The link was withdrawn'])
  await pressPay(paid)
  assert.deepEqual(deliveryOf(await findLink(till, paid.url)), ['DEAD', 'The link is paid'])
  till.needs.clock.advance({ hours: 24 * 31 })
  await runDueNow(till.needs, expireLinksWork, till.account.accountId)
  assert.deepEqual(deliveryOf(await findLink(till, expired.url)), ['DEAD', 'The link has expired'])
})

test('a link for many payments is still sent after one', async () => {
  const till = await openTill(world())
  const payer = await makeLink(till, { SingleUse: 0, MessageType: 'TEXT', Person: { Phone: '+12125550123' } })
  await pressPay(payer, { number: '0'.repeat(32) })
  assert.equal((await findLink(till, payer.url))['Delivery'], 'WAITING')
})
