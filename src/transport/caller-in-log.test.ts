import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, sandboxOperations } from '#capabilities/operations.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { openMetrics } from '#platform/metrics.ts'
import { Admission } from '#transport/admission.ts'
import { operationCaller } from '#transport/call-operation.ts'
import { httpServer } from '#transport/http-server.ts'
import { makeToken, useWorld, type World } from '../../test/support/session-world.ts'
import { openTill } from '../../test/support/till.ts'

const world = useWorld()

function serverFor(context: World) {
  const admission = new Admission({
    inFlightMax: 10,
    waitMsMax: 60_000,
    loopDelayMsMax: 60_000,
    loopDelayMs: () => 0,
  })
  const needs = { context, vital: context, admission, limits: null, observe: () => undefined }
  return httpServer({
    context,
    operations,
    sandboxOperations,
    callOperation: operationCaller(needs, operations),
    admission,
    metrics: openMetrics({
      countTasks: async () => ({ waiting: 0, overdue: 0, dead: 0 }),
      hasRoom: async () => true,
    }),
    readiness: () => Promise.resolve({ isReady: true, database: 'up' }),
    statusStyle: 'family',
    trustedProxies: [],
    baseUrl: () => 'http://127.0.0.1',
    ownPlace: () => ({ baseUrl: 'http://127.0.0.1', dataFolder: null }),
  })
}

const host = '127.0.0.1'
const soapOf = (key: string) =>
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Webhook_List>' +
  `<SessKey>${key}</SessKey></Webhook_List></s:Body></s:Envelope>`

test('the log line of a call names account and user, over REST and SOAP', async () => {
  const needs = world()
  const till = await openTill(needs)
  const { account } = till
  const token = await makeToken(needs, account)
  const signedIn = await authenticate(needs, { address: host }, { accountCode: account.accountCode, token })
  assert(signedIn.ok)
  const key = signedIn.value.sessionKey.reveal()
  const app = serverFor(needs)
  const headers = { host, sesskey: key, 'content-type': 'application/json' }
  const url = '/APIcardProcService/v1.0.0/Webhook/List'
  await app.inject({ method: 'POST', url, headers, payload: '{}' })
  await app.inject({ method: 'POST', url, headers: { ...headers, sesskey: 'f'.repeat(64) }, payload: '{}' })
  await app.inject({
    method: 'POST',
    url: '/APIcardProcService/CardProcAPI.svc',
    headers: { host, sesskey: key, 'content-type': 'text/xml' },
    payload: soapOf(key),
  })
  const answered = needs.lines.filter(({ text }) => text === 'answered').map(({ fields }) => ({ ...fields }))
  const user = String(signedIn.value.user.userId)
  const named = { account: String(account.accountId), user }
  assert.partialDeepStrictEqual(answered, [
    { outcome: 'done', ...named },
    { outcome: 'session_invalid' },
    { outcome: 'done', ...named },
  ])
  assert(!('account' in (answered[1] ?? {})), 'a session key that is not known names nobody')
  assert(!JSON.stringify(answered).includes(key))
})
