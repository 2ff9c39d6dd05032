import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { GatheringSocket } from '#platform/postgres/gathering-socket.ts'

async function connected(t: TestContext): Promise<{ socket: GatheringSocket; heard: Promise<string> }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = new GatheringSocket()
  t.after(() => {
    socket.destroy()
    server.close()
  })
  const arrival = once(server, 'connection')
  const { port } = server.address() as AddressInfo
  await once(socket.connect(port, '127.0.0.1'), 'connect')
  const [other] = (await arrival) as [Socket]
  return { socket, heard: text(other) }
}

function send(socket: GatheringSocket, statement: string): void {
  socket.cork()
  socket.write(statement)
  socket.uncork()
}

test('what is sent in one turn is held back until its end and arrives in order', async (t) => {
  const { socket, heard } = await connected(t)
  send(socket, 'one,')
  send(socket, 'two,')
  assert.equal(socket.writableLength, 'one,two,'.length)
  await new Promise(setImmediate)
  assert.equal(socket.writableLength, 0)
  send(socket, 'three')
  socket.end()
  assert.equal(await heard, 'one,two,three')
})
