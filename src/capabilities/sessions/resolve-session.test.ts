import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { lockAccount } from '#capabilities/sessions/lock-account.operation.ts'
import { removeEndedSessions } from '#capabilities/sessions/remove-ended-sessions.operation.ts'
import { resolveSession } from '#capabilities/sessions/resolve-session.operation.ts'
import { listTokens, revokeToken } from '#capabilities/sessions/revoke-token.operation.ts'
import type { Account } from '#engine/merchants/account.ts'
import { changeAccount } from '#engine/merchants/change-account.operation.ts'
import { Secret } from '#kernel/secret.ts'
import { makeAccount, makeToken, useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()
const address = '192.0.2.10'

async function signedIn(needs: World, account: Account): Promise<Secret> {
  const token = await makeToken(needs, account)
  const result = await authenticate(needs, { address }, { accountCode: account.accountCode, token })
  assert.ok(result.ok)
  return result.value.sessionKey
}

const kindOf = async (needs: World, sessionKey: Secret, from = address) => {
  const result = await resolveSession(needs, { sessionKey, address: from })
  return result.ok ? 'resolved' : result.refusal.kind
}

test('a session tells its account and the zone of the first merchant record', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const result = await resolveSession(needs, { sessionKey: await signedIn(needs, account), address })
  assert.ok(result.ok)
  assert.equal(result.value.accountId, account.accountId)
  assert.equal(result.value.timeZone, 'America/New_York')
  assert.equal(result.value.address, address)
})

for (const settings of [
  { allowsPartialApprovals: true, allowsAlternateMerchants: false, verifiesCards: false },
  { allowsPartialApprovals: false, allowsAlternateMerchants: true, verifiesCards: false },
  { allowsPartialApprovals: false, allowsAlternateMerchants: false, verifiesCards: true },
]) {
  test(`a session tells what its account allows: ${JSON.stringify(settings)}`, async () => {
    const needs = world()
    const sessionKey = await signedIn(needs, await makeAccount(needs, settings))
    const result = await resolveSession(needs, { sessionKey, address })
    assert.ok(result.ok)
    assert.partialDeepStrictEqual(result.value, settings)
  })
}

test('a changed setting counts for running sessions as soon as it is told', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const sessionKey = await signedIn(needs, account)
  const allows = async () => {
    const result = await resolveSession(needs, { sessionKey, address })
    return result.ok && result.value.allowsPartialApprovals
  }
  assert.equal(await allows(), false)
  const { accountCode, accountId } = account
  await changeAccount(needs, { accountCode, changes: { allowsPartialApprovals: true } })
  needs.sessionCache.forgetAccount(accountId)
  assert.equal(await allows(), true)
})

test('an unknown key is refused', async () => {
  assert.equal(await kindOf(world(), new Secret('0'.repeat(64))), 'session_invalid')
})

test('a session ends after 25 hours to the second, remembered or not', async () => {
  const needs = world()
  const sessionKey = await signedIn(needs, await makeAccount(needs))
  needs.clock.advance({ hours: 24, minutes: 59, seconds: 59 })
  assert.equal(await kindOf(needs, sessionKey), 'resolved')
  needs.clock.advance({ seconds: 1 })
  assert.equal(await kindOf(needs, sessionKey), 'session_invalid')
})

test('a session may be used from elsewhere, unless the account binds it to its address', async () => {
  const needs = world()
  const free = await signedIn(needs, await makeAccount(needs))
  assert.equal(await kindOf(needs, free, '198.51.100.1'), 'resolved')
  const bound = await signedIn(needs, await makeAccount(needs, { bindsAddress: true }))
  assert.equal(await kindOf(needs, bound, '198.51.100.1'), 'session_elsewhere')
  assert.equal(await kindOf(needs, bound), 'resolved')
})

test('revoking a token ends its sessions', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const sessionKey = await signedIn(needs, account)
  const [token] = await listTokens(needs, account.accountId)
  assert.ok(token)
  assert.ok((await revokeToken(needs, token.tokenId)).ok)
  assert.equal(await kindOf(needs, sessionKey), 'session_invalid')
  assert.ok((await revokeToken(needs, token.tokenId)).ok)
})

test('locking an account ends its sessions for good and leaves those of others alone', async () => {
  const needs = world()
  const [mine, theirs] = [await makeAccount(needs), await makeAccount(needs)]
  const [mineKey, theirKey] = [await signedIn(needs, mine), await signedIn(needs, theirs)]
  await lockAccount(needs, { account: mine, state: 'locked' })
  await lockAccount(needs, { account: mine, state: 'open' })
  assert.equal(await kindOf(needs, mineKey), 'session_invalid')
  assert.equal(await kindOf(needs, theirKey), 'resolved')
})

test('a remembered session is asked for again after five seconds', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const sessionKey = await signedIn(needs, account)
  assert.equal(await kindOf(needs, sessionKey), 'resolved')
  await lockAccount(needs, { account, state: 'locked' })
  assert.equal(await kindOf(needs, sessionKey), 'resolved')
  needs.clock.advance({ seconds: 5 })
  assert.equal(await kindOf(needs, sessionKey), 'session_invalid')
})

test('what is told to be forgotten is asked for at once', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const sessionKey = await signedIn(needs, account)
  assert.equal(await kindOf(needs, sessionKey), 'resolved')
  await lockAccount(needs, { account, state: 'locked' })
  needs.sessionCache.forgetAccount(account.accountId)
  assert.equal(await kindOf(needs, sessionKey), 'session_invalid')
})

test('sessions that have ended are removed, running ones stay', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  await signedIn(needs, account)
  needs.clock.advance({ hours: 20 })
  const running = await signedIn(needs, account)
  needs.clock.advance({ hours: 6 })
  assert.ok((await removeEndedSessions(needs)) >= 1)
  assert.equal(await kindOf(needs, running), 'resolved')
})

test('a session that ends while it is being looked up is not remembered', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const sessionKey = await signedIn(needs, account)
  const add: typeof needs.sessionReads.add = async (digest) => {
    const found = await needs.sessionReads.add(digest)
    await lockAccount(needs, { account, state: 'locked' })
    needs.sessionCache.forgetAccount(account.accountId)
    return found
  }
  const slow = { ...needs, sessionReads: { add } }
  await resolveSession(slow, { sessionKey, address })
  assert.equal(await kindOf(needs, sessionKey), 'session_invalid')
})
