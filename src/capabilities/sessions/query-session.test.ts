import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { querySessionContract } from '#capabilities/sessions/query-session.contract.ts'
import { querySession } from '#capabilities/sessions/query-session.operation.ts'
import { resolveSession } from '#capabilities/sessions/resolve-session.operation.ts'
import { makeAccount, makeToken, useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

test('a caller learns who it is, what it works for and until when', async () => {
  const needs = world()
  const account = await makeAccount(needs)
  const visitor = { address: '192.0.2.10' }
  const token = await makeToken(needs, account)
  const signedIn = await authenticate(needs, visitor, { accountCode: account.accountCode, token })
  assert.ok(signedIn.ok)
  const caller = await resolveSession(needs, { ...visitor, sessionKey: signedIn.value.sessionKey })
  assert.ok(caller.ok)
  const { members, message } = querySessionContract.toWire((await querySession(needs, caller.value)).value)
  assert.equal(members.ExpiresOn, '2027-01-16T11:00:00.000Z')
  assert.equal(message, 'SessKey Expires|1/16/2027 11:00:00 AM')
  assert.equal(members.ThisUser?.AccountCode, account.accountCode)
  assert.deepEqual(
    members.MerchantList.map(({ Descrip }) => Descrip),
    ['Corner Books'],
  )
})
