import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { endSession } from '#capabilities/sessions/end-session.operation.ts'
import { resolveSession } from '#capabilities/sessions/resolve-session.operation.ts'
import { makeAccount, makeToken, useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

test('a session that was ended is refused from then on, and other sessions of the user go on', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const visitor = { address: '192.0.2.10' }
  const credentials = { accountCode: account.accountCode, token: await makeToken(needs, account) }
  const [first, second] = [
    await authenticate(needs, visitor, credentials),
    await authenticate(needs, visitor, credentials),
  ]
  assert.ok(first.ok && second.ok)
  const shown = { ...visitor, sessionKey: first.value.sessionKey }
  const caller = await resolveSession(needs, shown)
  assert.ok(caller.ok)
  await endSession(needs, caller.value)
  assert.equal((await resolveSession(needs, shown)).ok, false)
  assert.ok((await resolveSession(needs, { ...visitor, sessionKey: second.value.sessionKey })).ok)
})
