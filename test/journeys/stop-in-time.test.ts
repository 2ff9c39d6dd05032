import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import pg from 'pg'
import { isRunning, openHome, until } from '../support/gateway-process.ts'
import { openRudeMailServer } from '../support/rude-mail-server.ts'
import { administer, testConnection } from '../support/test-cluster.ts'

// A supervisor grants a process 30 seconds before it kills it, and 28 are spent on calls in flight. What
// waits for something that never comes would never end, so a busy machine may take its time to end it.
const stopMsMax = 60_000

// Any number of nodes may wait for the one that migrates.
const migrationLock = 7_411_853

// Nearly all of each test is waiting, so they wait together.
describe('what never ends does not keep a gateway from stopping', { concurrency: true }, () => {
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

  test('a stop is in time while the start waits for something that never comes', async (t) => {
    const home = openHome(t)
    const { connection, url } = await newDatabase()
    const migrator = new pg.Client({ ...connection })
    await migrator.connect()
    t.after(() => migrator.end())
    await migrator.query('select pg_advisory_lock($1)', [migrationLock])
    const starting = home.launch({ DATABASE_URL: url })
    const isWaiting = async () =>
      (await migrator.query(`select from pg_locks where locktype = 'advisory' and not granted`)).rows.length >
      0
    await until(isWaiting, { what: 'the start waits' })
    process.kill(starting.processId, 'SIGTERM')
    const hasEnded = () => !isRunning(starting.processId)
    await until(hasEnded, { what: 'the process has ended', withinMs: stopMsMax })
    assert.equal((await starting.ended).code, 1)
    assert.match(starting.output(), /Could not stop in time; leaving now/)
  })

  test('a mail server that says nothing to a letter does not keep workers from stopping', async (t) => {
    const { letters, url: mailUrl } = await openRudeMailServer(t, { '.': () => undefined })
    const mail = { TILLGATE_MAIL_SENDER: 'smtp', TILLGATE_MAIL_FROM: 'payments@pay.example' }
    const env = { ...mail, TILLGATE_SMTP_URL: mailUrl.reveal(), DATABASE_URL: (await newDatabase()).url }
    const gateway = await openHome(t).start(env, ['--workers', '2'])
    const person = { Email: 'ada@example.com' }
    const wish = { Msg: { MessageType: 'EMAIL', Person: person, MerchID: 1, Amount: 125 } }
    assert.equal((await gateway.call('Other/SMSPay', wish, await gateway.signIn())).status, 200)
    await until(() => letters.length === 1, { what: 'the server has the letter' })
    assert.equal((await gateway.stop()).code, 0)
  })
})

async function newDatabase() {
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name}`)
  const connection = testConnection(name)
  const host = encodeURIComponent(connection.host ?? '')
  return { connection, url: `postgresql://tillgate@/${name}?host=${host}` }
}
