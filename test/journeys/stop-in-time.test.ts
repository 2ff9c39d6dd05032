import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { isRunning, openHome, until } from '../support/gateway-process.ts'

// What a supervisor grants a process before it kills it is 30 seconds; 28 are spent on calls in flight.
const stopMsMax = 30_000

test('a call that never ends does not keep the gateway or its PostgreSQL from stopping', async (t) => {
  const home = openHome(t)
  const gateway = await home.start()
  const postgresId = gateway.postgresId()
  const { hostname, port } = new URL(gateway.baseUrl)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
  const head = ['POST /APIcardProcREST/v1.0.0/Authenticate HTTP/1.1', 'Host: localhost']
  const rest = ['Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue']
  socket.write(`${[...head, ...rest].join('\r\n')}\r\n\r\n`)
  await until(() => received.includes('100 Continue'), { what: 'the call has begun' })
  process.kill(gateway.processId, 'SIGTERM')
  const hasEnded = () => !isRunning(gateway.processId)
  await until(hasEnded, { what: 'the gateway has stopped', withinMs: stopMsMax })
  assert.ok(!isRunning(postgresId), 'PostgreSQL was stopped too')
})
