import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { test } from 'node:test'
import { Complaint } from '#apps/complaint.ts'
import { holdPort } from '#apps/listening.ts'

const host = '127.0.0.1'
// Elsewhere workers do not listen for themselves.
const wherePortsAreShared = { skip: process.platform !== 'linux' }

const isTaken = (port: number) => (error: unknown) =>
  error instanceof Complaint && error.message.startsWith(`Port ${port} is taken by another program.`)

test('a port is held before its workers listen, until it is released', wherePortsAreShared, async () => {
  const first = await holdPort({ host, port: 0 })
  const place = { host, port: first.port }
  await assert.rejects(holdPort(place), isTaken(first.port))
  await first.release()
  const second = await holdPort(place)
  assert.equal(second.port, first.port)
  await second.release()
})

test('a port that somebody serves cannot be held, and one that was only held is free', async () => {
  const held = await holdPort({ host, port: 0 })
  const server = createServer().listen({ host, port: held.port })
  await once(server, 'listening')
  await held.release()
  await assert.rejects(holdPort({ host, port: held.port }), isTaken(held.port))
  server.close()
  await once(server, 'close')
})
