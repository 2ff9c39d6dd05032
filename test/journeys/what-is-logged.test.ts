import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { type GatewayProcess, openHome, readSandboxFile, until } from '../support/gateway-process.ts'

const cardNumber = '4111111111111111'
const stripe = '867530986753'
const track = `;${cardNumber}=3012101${stripe}?`
const unknownKey = '5e'.repeat(32)
const unknownToken = '70'.repeat(16)

type LogLine = {
  readonly level: number
  readonly time: string
  readonly msg: string
  readonly requestId?: string
  readonly outcome?: string
}

// What callers do, and what they get wrong: secrets in bodies, headers and addresses, where they belong and
// where nobody expects them.
async function makeCalls(gateway: GatewayProcess): Promise<{ requestIds: string[]; sessionKey: string }> {
  const { acctCode, token } = gateway
  const sessionKey = await gateway.signIn()
  const answers = [
    await gateway.call('Session/Query', { Card: cardNumber }, sessionKey),
    await gateway.call('Session/Query', {}, unknownKey),
    await gateway.call('Session/Query', [cardNumber], `${sessionKey} ${cardNumber}`),
    await gateway.call(`Session/${cardNumber}`, { [cardNumber]: token }, sessionKey),
    await gateway.call('Authenticate', { AcctCode: acctCode, Token: unknownToken }),
    await gateway.call('Authenticate', { AcctCode: cardNumber, Token: cardNumber }),
    await gateway.call('Authenticate', { AcctCode: { [token]: sessionKey }, Token: [token] }),
    await gateway.get(`/docs/${sessionKey}?card=${cardNumber}&token=${token}`),
    await gateway.get('/ready'),
    await gateway.call('CardSale/Manual', saleBy({ Track: track }), sessionKey),
    await gateway.call('CardSale/Manual', saleBy({ Track: track.slice(0, -1) }), sessionKey),
    await gateway.call('CardSale/Manual', saleBy({ Track: track, ExpYear: 31 }), sessionKey),
    await gateway.call('CardSale/Manual', saleBy({ Track: [track] }), sessionKey),
    await gateway.call('Session/End', {}, sessionKey),
  ]
  return { requestIds: answers.map(({ headers }) => String(headers['request-id'])), sessionKey }
}

function saleBy(ccCardInfo: object): object {
  return { ccCardInfo, Amounts: { BaseAmt: 5 }, MerchID: 1 }
}

test('the log is JSON with request ids, and neither it nor a file tells a secret', async (t) => {
  const home = openHome(t)
  const gateway = await home.start({ TILLGATE_LOG_LEVEL: 'debug' })
  const { requestIds, sessionKey } = await makeCalls(gateway)
  process.kill(gateway.postgresId(), 'SIGKILL')
  const isRestarted = () => gateway.output().includes('The database server runs again')
  await until(isRestarted, { what: 'PostgreSQL is missed and started again' })
  assert.equal((await gateway.stop()).code, 0)

  const lines: LogLine[] = gateway
    .logged()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  for (const { level, time, msg } of lines) {
    assert.deepEqual([typeof level, typeof msg], ['number', 'string'])
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  }
  const outcomes = requestIds.map((id) => {
    const line = lines.find(({ requestId, msg }) => requestId === id && msg === 'answered')
    assert.ok(line, `${id} is in the log`)
    return line.outcome
  })
  assert.deepEqual(outcomes, [
    'done',
    'session_invalid',
    'session_invalid',
    'unknown_path',
    'wrong_credentials',
    'value_out_of_range',
    'wrong_type',
    'unknown_path',
    undefined,
    'done',
    'invalid_card',
    'invalid_card',
    'wrong_type',
    'done',
  ])
  assert.ok(gateway.output().includes(gateway.token), 'the greeting shows the token of the sandbox')
  const serverLog = readFileSync(join(home.dataFolder, 'postgres', 'server.log'), 'utf8')
  const { integratorKey } = readSandboxFile(home.dataFolder)
  assert.ok(gateway.output().includes(integratorKey.key), 'and its integrator key')
  const secrets = [gateway.token, integratorKey.key, sessionKey, cardNumber, stripe, unknownKey, unknownToken]
  for (const secret of secrets) {
    assert.ok(!gateway.logged().includes(secret), `the log tells ${secret}`)
    assert.ok(!serverLog.includes(secret), `the log of PostgreSQL tells ${secret}`)
  }
})

test('the files with secrets are closed to everybody but their owner', async (t) => {
  const home = openHome(t)
  const gateway = await home.start()
  for (const path of ['.', 'sandbox.json', 'keys', join('keys', 'key-ring.json'), 'postgres']) {
    assert.equal(statSync(join(home.dataFolder, path)).mode & 0o077, 0, path)
  }
  assert.equal((await gateway.stop()).code, 0)
})

test('a caller who hangs up before the answer is in the log', async (t) => {
  const gateway = await openHome(t).start({ TILLGATE_PATIENCE_PERCENT: '5' })
  const body = JSON.stringify({ ConsentID: 1, Amounts: { BaseAmt: 9900.68 } })
  const head = [
    'POST /APIcardProcREST/v1.0.0/ConsentAnnual/ChargeStoredCard HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `SessKey: ${await gateway.signIn()}`,
    `Content-Length: ${body.length}`,
  ]
  const { hostname, port } = new URL(gateway.baseUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const isTold = () => gateway.output().includes('The caller hung up before the answer')
  await until(isTold, { what: 'the log tells that nobody heard the answer' })
})
