import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { placeIn } from '#platform/postgres/embedded-files.ts'
import { findOrphans } from '#platform/postgres/postmaster.ts'
import { type GatewayProcess, isRunning, openHome, until } from '../support/gateway-process.ts'

// What a gateway lives with: a database that hangs, a reader of its log who leaves, callers who talk
// rubbish. One home for all, so that only the first pays for setting PostgreSQL up.
const home = openHome({ after })

// The limits of a gateway are 6 seconds for a statement and 5 for an idle stop; a busy machine adds its own.
const answerMsMax = 20_000
const stopMsMax = 15_000

function signal(processes: readonly number[], name: NodeJS.Signals): void {
  for (const id of processes.filter(isRunning)) process.kill(id, name)
}

test('a database that hangs is told as busy in time, and all is well when it goes on', async () => {
  const gateway = await home.start()
  const sessionKey = await gateway.signIn()
  const postmaster = gateway.postgresId()
  // The postmaster first, so that it starts no others.
  process.kill(postmaster, 'SIGSTOP')
  const { clusterName } = placeIn(join(gateway.dataFolder, 'postgres'))
  const stopped = [postmaster, ...findOrphans(clusterName)]
  try {
    assert.ok(stopped.length > 1, 'the sessions of the gateway are found')
    signal(stopped, 'SIGSTOP')
    const began = performance.now()
    const [call, ready, live] = await Promise.all([
      gateway.authenticate(),
      gateway.get('/ready'),
      gateway.get('/live'),
    ])
    const ms = performance.now() - began
    assert.deepEqual([call.status, call.result.FunctionOk, call.result.ErrCode], [503, false, 9001])
    assert.deepEqual([ready.status, ready.text], [503, '{"ready":false,"database":"unreachable"}'])
    assert.equal(live.status, 200, 'the process itself is well')
    assert.ok(ms < answerMsMax, `answered after ${ms} ms`)
  } finally {
    signal(stopped, 'SIGCONT')
  }
  const isReady = async () => (await gateway.get('/ready')).status === 200
  await until(isReady, { what: 'the gateway is ready again' })
  assert.equal((await gateway.query(sessionKey)).FunctionOk, true, 'the session from before still works')
  assert.equal(gateway.postgresId(), postmaster, 'the server was not replaced')
  assert.equal((await gateway.stop()).code, 0)
})

test('a gateway whose output nobody reads any more goes on serving and stops in order', async () => {
  const gateway = await home.start({ TILLGATE_LOG_LEVEL: 'debug' })
  gateway.closeOutput()
  for (let call = 0; call < 20; call += 1) await gateway.signIn()
  assert.equal((await gateway.get('/ready')).status, 200)
  assert.deepEqual({ ...(await gateway.stop()), ms: 0 }, { code: 0, signal: null, ms: 0 })
})

const rubbish: readonly (readonly [string, Buffer])[] = [
  ['half a word', Buffer.from('PO')],
  [
    'a head without an end',
    Buffer.from('POST /APIcardProcREST/v1.0.0/Authenticate HTTP/1.1\r\nHost: a\r\nX-'),
  ],
  ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex')],
  ['noise', Buffer.alloc(4_096, 0xa5)],
  ['line breaks only', Buffer.from('\r\n\r\n\r\n')],
  ['nothing', Buffer.alloc(0)],
]

async function talk(t: TestContext, { baseUrl }: GatewayProcess, bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(baseUrl)
  // A client that never closes its half, as one behind a dead line.
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  t.after(() => socket.destroy())
  socket.on('error', () => undefined).resume()
  await once(socket, 'connect')
  if (bytes.length > 0) await new Promise((resolve) => socket.write(bytes, resolve))
}

test('half-open connections that talk rubbish do not delay the stop', async (t) => {
  const gateway = await home.start()
  const postgresId = gateway.postgresId()
  for (const [, bytes] of rubbish) {
    for (let copy = 0; copy < 5; copy += 1) await talk(t, gateway, bytes)
  }
  await gateway.signIn()
  const { code, ms } = await gateway.stop()
  assert.equal(code, 0)
  assert.ok(ms < stopMsMax, `stopped after ${ms} ms`)
  assert.ok(!isRunning(postgresId), 'PostgreSQL was stopped too')
})
