import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { bytea, int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill } from '../../../test/support/till.ts'

const world = useWorld()
const URL = 'https://shop.example/tillgate'

const sealedStatement = statement(
  'test_sealed_webhook_secrets',
  [int8],
  { sealed: bytea },
  `select sealed from webhook_secret where account_id = $1`,
)

test('a webhook is added with a secret that is shown once and stored sealed', async () => {
  const till = await openTill(world())
  const added = await call(till, 'Webhook/Add', { URL })
  assert.equal(added.code, 0)
  assert.equal(added.text, `Successfully Added Webhook ID : ${added.members['WebhookID']}`)
  const secret = String(added.members['Secret'])
  assert.match(secret, /^whsec_/)
  const listed = await call(till, 'Webhook/List', {})
  assert(!inspect(listed, { depth: 9 }).includes(secret))
  const rows = await till.needs.db.run(sealedStatement, [till.account.accountId])
  assert.equal(rows.length, 1)
  for (const { sealed } of rows) {
    assert(!sealed.includes(secret.slice(6)))
    assert(!sealed.includes(Buffer.from(secret.slice(6), 'base64')))
  }
})

test('the same address is taken once while it is active, however it is written', async () => {
  const till = await openTill(world())
  const first = await call(till, 'Webhook/Add', { URL })
  assert.equal((await call(till, 'Webhook/Add', { URL: 'HTTPS://SHOP.example:443/tillgate' })).code, 6903)
  await call(till, 'Webhook/Disable', { WebhookID: first.members['WebhookID'] })
  assert.equal((await call(till, 'Webhook/Add', { URL })).code, 0)
})

test('two that are added at once with one address are one', async () => {
  const till = await openTill(world())
  const added = await Promise.all(Array.from({ length: 5 }, () => call(till, 'Webhook/Add', { URL })))
  const codes = added.map(({ code }) => code).toSorted((left, right) => left - right)
  assert.deepEqual(codes, [0, 6903, 6903, 6903, 6903])
})

test('an account has twenty at the most, even when they are added at once', async () => {
  const till = await openTill(world())
  const added = await Promise.all(
    Array.from({ length: 25 }, (_, at) => call(till, 'Webhook/Add', { URL: `${URL}/${at}` })),
  )
  assert.equal(added.filter(({ code }) => code === 0).length, 20)
  const [refused] = added.filter(({ code }) => code !== 0)
  assert.deepEqual([refused?.code, refused?.text], [6904, 'An account has at most 20 active webhooks'])
})

for (const [address, text] of [
  ['https://user:word@shop.example/', 'URL contains a user name or a password'],
  ['ftp://shop.example/', 'URL is no address that starts with https:// or http://'],
  ['http://169.254.169.254/latest', 'URL is one that nothing is ever sent to'],
  ['', 'URL is no address that starts with https:// or http://'],
] as const) {
  test(`${address || 'no address'} is refused, and nothing is stored`, async () => {
    const till = await openTill(world())
    const refused = await call(till, 'Webhook/Add', { URL: address })
    assert.deepEqual([refused.code, refused.text], [6902, text])
    assert.deepEqual(refused.members, { WebhookID: 0, Secret: '' })
    assert.equal((await call(till, 'Webhook/List', {})).members['NumRecords'], 0)
  })
}

test('live takes no plain address', async () => {
  const needs = world()
  const live = { ...needs, keyRing: { ...needs.keyRing, mode: 'live' as const } }
  const till = await openTill(live)
  const refused = await call(till, 'Webhook/Add', { URL: 'http://shop.example/' })
  assert.deepEqual([refused.code, refused.text], [6902, 'URL must start with https://'])
})

test('an event that does not exist is refused by its name', async () => {
  const till = await openTill(world())
  const refused = await call(till, 'Webhook/Add', { URL, EventTypes: ['payment.approved', 'payment.lost'] })
  assert.deepEqual([refused.code, refused.text], [4003, 'EventTypes: there is no event payment.lost'])
})
