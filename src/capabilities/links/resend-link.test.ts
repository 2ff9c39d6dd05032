import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerQuestions } from '#capabilities/links/answer-questions.operation.ts'
import { findResentLink } from '#capabilities/links/resend-link.operation.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { findLink, lookAt, makeLink, pressPay } from '../../../test/support/link-world.ts'
import { messagesOf } from '../../../test/support/message-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, eventsOf, openTill, withKey } from '../../../test/support/till.ts'

const world = useWorld()
const text = { MessageType: 'TEXT', Person: { Phone: '+12125550123' } }

test('a link is sent again to the same phone, in the same words', async () => {
  const till = await openTill(world())
  const { url } = await makeLink(till, text)
  const { LinkID } = await findLink(till, url)
  const told = await call(till, 'Link/Resend', { LinkID })
  assert.deepEqual([told.code, told.text], [0, 'Text Sent Successfully to +12125550123'])
  const [first, second, ...more] = (await messagesOf(till)).map(
    ({ recipient, subject, linkId, text: words, html }) => ({ recipient, subject, linkId, words, html }),
  )
  assert.deepEqual(second, first)
  assert.deepEqual(more, [])
  assert.deepEqual(await eventsOf(till), ['link.sent', 'link.sent'])
})

test('a link whose words a longer name of the record makes too long is refused by name', async () => {
  const till = await openTill(world())
  const { url } = await makeLink(till, { ...text, MessageBody: '||Merch1||'.repeat(50) })
  const { LinkID } = await findLink(till, url)
  const { accountId: account } = till.account
  const renamed = { account, merchant: merchantNumber(1), changes: { name: 'Books and more '.repeat(3) } }
  assert((await changeMerchant(till.needs, renamed)).ok)
  const told = await call(till, 'Link/Resend', { LinkID })
  assert.equal(told.code, 4003)
  assert.match(told.text, /^Msg\.MessageBody makes a message of more than 1600 characters/)
  assert.equal((await messagesOf(till)).length, 1)
})

test('the same key sends it once', async () => {
  const till = await openTill(world())
  const { url } = await makeLink(till, text)
  const { LinkID } = await findLink(till, url)
  const keyed = withKey(till, 'again-1', 'Link/Resend')
  assert.equal((await call(keyed, 'Link/Resend', { LinkID })).code, 0)
  assert.equal((await call(keyed, 'Link/Resend', { LinkID })).code, 4091)
  assert.equal((await messagesOf(till)).length, 2)
})

test('what was sent again is told to nobody of another merchant record', async () => {
  const till = await openTill(world())
  const { url } = await makeLink(till, text)
  const { LinkID } = await findLink(till, url)
  const keyed = withKey(till, 'again-2', 'Link/Resend')
  assert.equal((await call(keyed, 'Link/Resend', { LinkID })).code, 0)
  for (const [merchant, isTold] of [
    [1, true],
    [2, false],
  ] as const) {
    const caller = { ...keyed.caller, merchantNumber: merchantNumber(merchant) }
    assert.equal((await findResentLink(till.needs, caller)) !== null, isTold)
  }
})

test('what is paid, or was made for the own use, is not sent', async () => {
  const till = await openTill(world())
  const payer = await makeLink(till, text)
  const own = await findLink(till, (await makeLink(till)).url)
  const { LinkID } = await findLink(till, payer.url)
  await pressPay(payer)
  assert.equal((await call(till, 'Link/Resend', { LinkID })).code, 6612)
  assert.equal((await call(till, 'Link/Resend', { LinkID: own['LinkID'] })).code, 6613)
  assert.equal((await messagesOf(till)).length, 1)
})

test('a link that wrong answers have locked can be answered again', async () => {
  const till = await openTill(world())
  const payer = await makeLink(till, { ...text, Questions: [{ Question: 'ZIP?', Answer: '62701' }] })
  for (let tries = 0; tries < 5; tries++) await answerQuestions(till.needs, await lookAt(payer), ['1'])
  const { LinkID, State } = await findLink(till, payer.url)
  assert.equal(State, 'LOCKED')
  await call(till, 'Link/Resend', { LinkID })
  assert.equal(await answerQuestions(till.needs, await lookAt(payer), ['62701']), true)
})

test('a locked link for the own use of the merchant is unlocked, and nothing is sent', async () => {
  const till = await openTill(world())
  const payer = await makeLink(till, { Questions: [{ Question: 'ZIP?', Answer: '62701' }] })
  for (let tries = 0; tries < 5; tries++) await answerQuestions(till.needs, await lookAt(payer), ['1'])
  const { LinkID } = await findLink(till, payer.url)
  const told = await call(till, 'Link/Resend', { LinkID })
  assert.deepEqual([told.code, told.text], [0, `Link ${String(LinkID)} is unlocked`])
  const { State, SentOn } = await findLink(till, payer.url)
  assert.deepEqual([State, SentOn], ['OPEN', ''])
  assert.deepEqual([await messagesOf(till), await eventsOf(till)], [[], []])
})
