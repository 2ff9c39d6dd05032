import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticateContract } from '#capabilities/sessions/authenticate.contract.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { lockAccount } from '#capabilities/sessions/lock-account.operation.ts'
import type { Account } from '#engine/merchants/account.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { Secret } from '#kernel/secret.ts'
import {
  makeAccount,
  makeMerchant,
  makeToken,
  useWorld,
  type World,
} from '../../../test/support/session-world.ts'

const world = useWorld()
const home = { address: '192.0.2.10' }
const wrongToken = new Secret('f'.repeat(32))

const signIn = (needs: World, account: Account, token: Secret, from = home) =>
  authenticate(needs, from, { accountCode: account.accountCode, token })

async function failTimes(needs: World, account: Account, times: number, from = home): Promise<void> {
  for (let failure = 0; failure < times; failure += 1) await signIn(needs, account, wrongToken, from)
}

function refusalOf(result: Awaited<ReturnType<typeof authenticate>>) {
  assert.ok(!result.ok)
  return result.refusal
}

test('the right token opens a session for 25 hours and shows the account with its records', async () => {
  const needs = world()
  const account = await makeAccount(needs, { description: 'Books and more' })
  const result = await signIn(needs, account, await makeToken(needs, account))
  assert.ok(result.ok)
  const { members, message, notes } = authenticateContract.toWire(result.value)
  assert.match(members.SessKey, /^[0-9a-f]{64}$/)
  assert.equal(message, 'SessKey Expires|1/16/2027 11:00:00 AM')
  assert.deepEqual(notes, { 'SessKey-Expires': '2027-01-16T11:00:00.000Z' })
  const record = { ID: 1, Descrip: 'Corner Books', Location: 'Main Street', TermID: 'T1' }
  assert.deepEqual(members.MerchantList, [{ ...record, Address: '1 Main Street, Springfield' }])
  assert.deepEqual(members.ThisUser, {
    ID: Number(result.value.user.userId),
    AcctID: Number(account.accountId),
    APILocationID: 0,
    AccountCode: account.accountCode,
    Alias: 'till',
    Description: 'Books and more',
    TokenDescription: 'Till 1',
    CreatedBy: 'tester',
    DateCreated: '2027-01-15T10:00:00.000Z',
    DateModified: '2027-01-15T10:00:00.000Z',
    ExpirationDate: '2029-01-15T10:00:00.000Z',
    IsExpired: false,
    IsLockedOut: false,
  })
})

test('an unknown account code and a wrong token get the same answer', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const wrong = await signIn(needs, account, wrongToken)
  const unknown = await authenticate(needs, home, { accountCode: 'ZZ0000000', token: wrongToken })
  assert.deepEqual(wrong, unknown)
  assert.equal(refusalOf(wrong).kind, 'wrong_credentials')
  assert.deepEqual(authenticateContract.refusedToWire(null), {
    AuthSuccess: false,
    SessKey: '',
    MerchantList: [],
    ThisUser: null,
  })
})

test('a token opens its own account only', async () => {
  const needs = world()
  const [mine, theirs] = [await makeAccount(needs), await makeAccount(needs)]
  assert.equal(refusalOf(await signIn(needs, theirs, await makeToken(needs, mine))).kind, 'wrong_credentials')
})

test('a token may be typed in capitals', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  assert.ok((await signIn(needs, account, new Secret(token.reveal().toUpperCase()))).ok)
})

test('after two years the right token is told that it has expired, and whose it was', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  needs.clock.advance({ hours: 24 * (365 + 366) - 1 })
  assert.ok((await signIn(needs, account, token)).ok)
  needs.clock.advance({ hours: 1 })
  const { kind, known, details } = refusalOf(await signIn(needs, account, token))
  assert.equal(kind, 'token_expired')
  assert.deepEqual(details, { expiredOn: '2029-01-15' })
  assert.equal(known?.isExpired, true)
})

test('a locked account is kept out until it is unlocked, a closed one for good', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  await failTimes(needs, account, 6)
  await lockAccount(needs, { account, state: 'locked' })
  assert.equal(refusalOf(await signIn(needs, account, token, { address: '203.0.7.1' })).kind, 'locked_out')
  await lockAccount(needs, { account, state: 'open' })
  assert.ok((await signIn(needs, account, token)).ok)
  await lockAccount(needs, { account, state: 'closed' })
  const { kind, known } = refusalOf(await signIn(needs, account, token))
  assert.deepEqual([kind, known], ['account_closed', undefined])
  const reopened = await lockAccount(needs, { account: { ...account, state: 'closed' }, state: 'open' })
  assert.ok(!reopened.ok)
})

test('a token issued for one merchant record shows that record alone', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  await makeMerchant(needs, account)
  const token = await makeToken(needs, account, { alias: 'branch', merchant: merchantNumber(2) })
  const result = await signIn(needs, account, token)
  assert.ok(result.ok)
  const { members } = authenticateContract.toWire(result.value)
  assert.deepEqual(
    members.MerchantList.map(({ ID }) => ID),
    [2],
  )
  assert.equal(members.ThisUser?.APILocationID, 2)
})

test('with rate limits on, an address that failed ten times has to wait for the next minute', async () => {
  const needs = { ...world(), failedSignInsPerMinute: 10 }
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  const from = { address: '203.0.9.200' }
  for (let code = 0; code < 10; code += 1) {
    await authenticate(needs, from, { accountCode: `AA000000${code}`, token: wrongToken })
  }
  needs.clock.advance({ seconds: 20 })
  const refusal = refusalOf(await signIn(needs, account, token, from))
  assert.deepEqual([refusal.kind, refusal.details], ['rate_limited', { seconds: 40 }])
  assert.ok((await signIn(needs, account, token, { address: '203.0.9.201' })).ok)
  needs.clock.advance({ seconds: 40 })
  assert.ok((await signIn(needs, account, token, from)).ok)
})

test('whoever has one IPv6 address has a network of them, and waits with all', async () => {
  const needs = { ...world(), failedSignInsPerMinute: 10 }
  for (let host = 1; host <= 10; host += 1) {
    const from = { address: `2001:db8:7:8::${host}` }
    await authenticate(needs, from, { accountCode: `AB00000${host}`, token: wrongToken })
  }
  const guess = { accountCode: 'AB0000011', token: wrongToken }
  const next = await authenticate(needs, { address: '2001:db8:7:8:9::1' }, guess)
  assert.equal(refusalOf(next).kind, 'rate_limited')
  const neighbour = await authenticate(needs, { address: '2001:db8:7:9::1' }, guess)
  assert.equal(refusalOf(neighbour).kind, 'wrong_credentials')
})

test('a hundred sign-ins at once get a hundred different sessions', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  const results = await Promise.all(Array.from({ length: 100 }, () => signIn(needs, account, token)))
  const keys = results.map((result) => (result.ok ? result.value.sessionKey.reveal() : 'refused'))
  assert.equal(new Set(keys).size, 100)
  assert.ok(!keys.includes('refused'))
})
