import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { listLockouts } from '#capabilities/sessions/list-lockouts.operation.ts'
import { lockAccount } from '#capabilities/sessions/lock-account.operation.ts'
import { removeEndedSessions } from '#capabilities/sessions/remove-ended-sessions.operation.ts'
import type { Account } from '#engine/merchants/account.ts'
import { Secret } from '#kernel/secret.ts'
import { makeAccount, makeToken, useWorld, type World } from '../../../test/support/session-world.ts'

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

test('six failures in a row lock that network out for thirty minutes', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  await failTimes(needs, account, 6)
  const { kind, known } = refusalOf(await signIn(needs, account, token))
  assert.deepEqual([kind, known?.isLockedOut], ['locked_out', true])
  assert.equal(refusalOf(await signIn(needs, account, wrongToken)).kind, 'wrong_credentials')
  needs.clock.advance({ minutes: 29, seconds: 59 })
  assert.equal(refusalOf(await signIn(needs, account, token)).kind, 'locked_out')
  needs.clock.advance({ seconds: 1 })
  assert.ok((await signIn(needs, account, token)).ok)
})

test('a merchant on another network signs in while a guesser is locked out', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  await failTimes(needs, account, 20, { address: '198.51.100.7' })
  assert.ok((await signIn(needs, account, token)).ok)
  assert.equal(
    refusalOf(await signIn(needs, account, token, { address: '198.51.100.99' })).kind,
    'locked_out',
  )
})

test('a success in between starts the count again', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  for (let round = 0; round < 3; round += 1) {
    await failTimes(needs, account, 5)
    assert.ok((await signIn(needs, account, token)).ok)
  }
})

// A network that has never signed in.
const newcomer = { address: '192.0.9.10' }

test('sixty failures from five networks within an hour lock the account out for that hour', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  for (const network of [1, 2, 3, 4]) await failTimes(needs, account, 14, { address: `203.0.${network}.9` })
  await failTimes(needs, account, 3, { address: '203.0.5.9' })
  assert.ok((await signIn(needs, account, token, { address: '192.0.8.10' })).ok)
  await failTimes(needs, account, 1, { address: '203.0.5.9' })
  assert.equal(refusalOf(await signIn(needs, account, token, newcomer)).kind, 'locked_out')
  needs.clock.advance({ hours: 1 })
  assert.ok((await signIn(needs, account, token, newcomer)).ok)
})

test('a network that signed in within thirty days is let in while all others are locked out', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  const attack = async () => {
    for (const network of [1, 2, 3, 4, 5])
      await failTimes(needs, account, 12, { address: `203.0.${network}.9` })
  }
  assert.ok((await signIn(needs, account, token)).ok)
  needs.clock.advance({ hours: 24 * 30 - 1 })
  await removeEndedSessions(needs)
  await attack()
  assert.equal(refusalOf(await signIn(needs, account, token, newcomer)).kind, 'locked_out')
  assert.ok((await signIn(needs, account, token)).ok)
  needs.clock.advance({ hours: 24 * 30 })
  await removeEndedSessions(needs)
  await attack()
  assert.equal(refusalOf(await signIn(needs, account, token)).kind, 'locked_out')
})

test('a network that has signed in is still locked out by its own failures', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  assert.ok((await signIn(needs, account, token)).ok)
  await failTimes(needs, account, 6)
  assert.equal(refusalOf(await signIn(needs, account, token)).kind, 'locked_out')
})

test('a success of one network forgets no failure of another one', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  assert.ok((await signIn(needs, account, token)).ok)
  await failTimes(needs, account, 5, newcomer)
  for (const network of [1, 2, 3, 4]) await failTimes(needs, account, 14, { address: `203.0.${network}.9` })
  assert.ok((await signIn(needs, account, token)).ok)
  await failTimes(needs, account, 1, newcomer)
  assert.equal(refusalOf(await signIn(needs, account, token, newcomer)).kind, 'locked_out')
  needs.clock.advance({ minutes: 30 })
  assert.equal(refusalOf(await signIn(needs, account, token, newcomer)).kind, 'locked_out', 'by all of them')
})

test('one /48 counts as one network of a widespread attack', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  for (let network = 0; network < 20; network += 1)
    await failTimes(needs, account, 5, { address: `2001:db8:7:${network}::9` })
  assert.ok((await signIn(needs, account, token, newcomer)).ok)
})

test('the hour of a widespread attack ends when it has passed since the last failures', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const token = await makeToken(needs, account)
  const networks = [1, 2, 3, 4, 5].map((network) => ({ address: `203.1.${network}.9` }))
  for (const from of networks) await failTimes(needs, account, 1, from)
  needs.clock.advance({ minutes: 59 })
  for (const from of networks) await failTimes(needs, account, 14, from)
  needs.clock.advance({ minutes: 58 })
  assert.equal(refusalOf(await signIn(needs, account, token, newcomer)).kind, 'locked_out')
  needs.clock.advance({ minutes: 2 })
  assert.ok((await signIn(needs, account, token)).ok)
})

test('an operator sees which accounts are locked out at this moment, and from where', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const lockout = async () => (await listLockouts(needs)).get(account.accountCode)
  await failTimes(needs, account, 5)
  assert.equal(await lockout(), undefined)
  await failTimes(needs, account, 1)
  assert.deepEqual(await lockout(), { isEverywhere: false, networks: 1 })
  for (const third of [1, 2, 3, 4]) await failTimes(needs, account, 14, { address: `203.0.${third}.1` })
  assert.deepEqual(await lockout(), { isEverywhere: true, networks: 5 })
  await lockAccount(needs, { account, state: 'open' })
  assert.equal(await lockout(), undefined)
  await failTimes(needs, account, 6)
  needs.clock.advance({ minutes: 30 })
  assert.equal(await lockout(), undefined)
})
