import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import type { Secret } from '#kernel/secret.ts'
import { RateLimiter } from '#platform/rate-limiter.ts'
import { Admission } from '#transport/admission.ts'
import { operationCaller } from '#transport/call-operation.ts'
import { makeToken, useWorld, type World } from '../../test/support/session-world.ts'
import { openTill, type Till } from '../../test/support/till.ts'

const world = useWorld()
const address = '192.0.2.10'

// One query and one change a second for each account.
function limitedGateway(context: World) {
  const admission = new Admission({
    inFlightMax: 10,
    waitMsMax: 60_000,
    loopDelayMsMax: 60_000,
    loopDelayMs: () => 0,
  })
  const limits = { queries: new RateLimiter(1), changes: new RateLimiter(1) }
  const needs = { context, vital: context, admission, limits, observe: () => undefined }
  const call = operationCaller(needs, operations)
  return async (path: string, sessionKey: Secret) => {
    const operation = operations.find(({ contract }) => contract.path === path)
    assert.ok(operation)
    const { request } = operation.contract.example
    const answer = await call(operation, {
      body: request,
      sessionKey,
      idempotencyKey: null,
      address,
      isWaiting: () => true,
      requestId: 'r-1',
    })
    return answer.error === 'rate_limited' ? 'limited' : 'served'
  }
}

async function signIn(till: Till): Promise<Secret> {
  return signInWith(till, await makeToken(till.needs, till.account))
}

async function signInWith({ needs, account }: Till, token: Secret): Promise<Secret> {
  const signedIn = await authenticate(needs, { address }, { accountCode: account.accountCode, token })
  assert.ok(signedIn.ok)
  return signedIn.value.sessionKey
}

test('an account at its limit is refused for a second, and no other account is', async () => {
  const needs = world()
  const call = limitedGateway(needs)
  const [busy, quiet] = [await signIn(await openTill(needs)), await signIn(await openTill(needs))]
  for (const path of ['Query/Transaction', 'CardSale/Manual']) {
    assert.equal(await call(path, busy), 'served')
    assert.equal(await call(path, busy), 'limited')
    assert.equal(await call(path, quiet), 'served', `${path} of another account`)
  }
  needs.clock.advance({ seconds: 1 })
  assert.equal(await call('CardSale/Manual', busy), 'served')
})

test('all sessions of one account share its limit', async () => {
  const till = await openTill(world())
  const call = limitedGateway(till.needs)
  const token = await makeToken(till.needs, till.account)
  assert.equal(await call('Query/Transaction', await signInWith(till, token)), 'served')
  assert.equal(await call('Query/Transaction', await signInWith(till, token)), 'limited')
})
