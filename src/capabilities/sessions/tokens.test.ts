import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { issueToken } from '#capabilities/sessions/issue-token.operation.ts'
import { listTokens, revokeToken } from '#capabilities/sessions/revoke-token.operation.ts'
import { warnOfExpiringTokens } from '#capabilities/sessions/warn-of-expiring-tokens.operation.ts'
import { merchantNumber, tokenId } from '#kernel/ids.ts'
import { eventsOf, makeCaller } from '../../../test/support/consent-world.ts'
import { makeAccount, makeToken, useWorldOn } from '../../../test/support/session-world.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'
import { withClient } from '../../../test/support/with-client.ts'

const database = useTestDatabase()
const world = useWorldOn(database)
const connectionOf = () => database().connection
const wish = { alias: 'till', merchant: null, description: '', issuer: 'tester' }

test('an API user has two valid tokens at the most, so that one can be exchanged for the other', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  await makeToken(needs, account)
  await makeToken(needs, account)
  const third = await issueToken(needs, { account, ...wish })
  assert.equal(third.ok ? 'issued' : third.refusal.kind, 'two_tokens_valid')
  const [first] = await listTokens(needs, account.accountId)
  assert.ok(first)
  await revokeToken(needs, first.tokenId)
  assert.ok((await issueToken(needs, { account, ...wish })).ok)
  assert.ok((await issueToken(needs, { account, ...wish, alias: 'web shop' })).ok)
})

test('eight tokens asked for at once are still two', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const results = await Promise.all(Array.from({ length: 8 }, () => issueToken(needs, { account, ...wish })))
  assert.equal(results.filter(({ ok }) => ok).length, 2)
})

test('an API user of one merchant record does not get a token for another', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  await makeToken(needs, account)
  const elsewhere = await issueToken(needs, { account, ...wish, merchant: merchantNumber(1) })
  assert.equal(elsewhere.ok ? 'issued' : elsewhere.refusal.kind, 'user_works_elsewhere')
})

test('a token that does not exist cannot be revoked', async () => {
  assert.equal((await revokeToken(world(), tokenId(999_999n))).ok, false)
})

test('the database holds neither token nor session key, in any column, as text or as bytes', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  const visitor = { address: '192.0.2.10' }
  const signedIn = await authenticate(needs, visitor, { accountCode: account.accountCode, token })
  assert.ok(signedIn.ok)
  const secrets = [token.reveal(), signedIn.value.sessionKey.reveal()]
  const rows = await withClient(connectionOf(), (client) =>
    Promise.all(
      ['api_token', 'session', 'api_user', 'account'].map((table) =>
        client.query<{ row: string }>(`select t::text as row from ${table} t`),
      ),
    ),
  )
  const dump = rows.flatMap((result) => result.rows.map(({ row }) => row)).join('\n')
  assert.ok(dump.includes(account.accountCode))
  for (const secret of secrets) {
    const forms = [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret, 'hex').toString('base64')]
    for (const form of forms) assert.ok(!dump.includes(form), form)
  }
})

test('operator and merchant are warned 60, 30, 7 and 1 day before a token expires, once', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  await makeToken(needs, account)
  const warned = async () => {
    const warnings = await warnOfExpiringTokens(needs)
    return warnings
      .filter(({ accountCode }) => accountCode === account.accountCode)
      .map(({ daysLeft }) => daysLeft)
  }
  const days = 365 + 366
  assert.deepEqual(await warned(), [])
  needs.clock.advance({ hours: 24 * (days - 60) })
  assert.deepEqual(await warned(), [60])
  assert.deepEqual(await warned(), [])
  needs.clock.advance({ hours: 24 * 54 })
  assert.deepEqual(await warned(), [7])
  needs.clock.advance({ hours: 24 * 5 + 12 })
  assert.deepEqual(await warned(), [1])
  needs.clock.advance({ hours: 24 })
  assert.deepEqual(await warned(), [])
  assert.equal(needs.lines.length >= 3, true)
  const told = await eventsOf(needs.db, await makeCaller(needs, account))
  assert.deepEqual(told, ['token.expiring', 'token.expiring', 'token.expiring'])
})
