import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { isRunning, openHome, until } from '../support/gateway-process.ts'

// The limit is smaller than the number of callers, whose sockets alone use it up.
const openFilesMax = 128
const callers = 140
const blind = 'Cannot see whether the database server runs'

const home = openHome({ after })

test('a gateway that runs out of file descriptors stays up, and serves when callers have gone', async (t) => {
  const gateway = await home.start({ OPEN_FILES_MAX: String(openFilesMax) })
  const { hostname, port } = new URL(gateway.baseUrl)
  const sockets: Socket[] = []
  t.after(() => sockets.forEach((socket) => socket.destroy()))
  for (let left = callers; left > 0; left -= 1) {
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    // The gateway hangs up on those for whom it has no descriptor.
    socket.on('error', () => undefined)
    socket.write('POST /APIcardProcService/v1.0.0/Authenticate HTTP/1.1\r\n')
  }
  await until(() => gateway.logged().includes(blind), { what: 'the gateway has no descriptor left' })
  const closed = sockets.filter((socket) => !socket.closed).map((socket) => once(socket, 'close'))
  for (const socket of sockets) socket.destroy()
  await Promise.all(closed)
  await until(
    () =>
      gateway.get('/ready').then(
        ({ status }) => status === 200,
        () => false,
      ),
    {
      what: 'the gateway serves again',
    },
  )
  assert.ok(isRunning(gateway.processId))
  assert.equal((await gateway.stop()).code, 0)
})

test('a start with fewer open files than its settings need warns, one with enough does not', async () => {
  const warning = '"msg":"The limit of open files is too low'
  const few = await home.start({ OPEN_FILES_MAX: String(openFilesMax) })
  assert.ok(few.logged().includes(warning))
  assert.ok(few.logged().includes(`"openFilesMax":${openFilesMax},"openFilesNeeded":2184`))
  await few.stop()
  const enough = await home.start({ OPEN_FILES_MAX: '256', TILLGATE_CALLS_IN_FLIGHT: '100' })
  assert.ok(!enough.logged().includes(warning))
  await enough.stop()
})
