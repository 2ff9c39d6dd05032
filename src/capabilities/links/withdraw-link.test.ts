import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLink, makeLink, order, pressPay } from '../../../test/support/link-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
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
  const till = await openTill(world())
  await order(till)
  const told = await call(till, 'Link/Withdraw', { LinkID: 987_654_321 })
  assert.equal(told.code, 6611)
})
