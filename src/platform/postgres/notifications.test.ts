import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { listen } from '#platform/postgres/notifications.ts'
import { bool, text, nullable } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()

const tell = statement(
  'test_tell',
  [text],
  { told: nullable(text) },
  `select pg_notify('tillgate_sessions', $1)::text as told`,
)
const hangUp = statement(
  'test_hang_up',
  [],
  { gone: bool },
  `select pg_terminate_backend(pid) as gone from pg_stat_activity
   where datname = current_database() and query like 'listen%' and pid <> pg_backend_pid()`,
)

test('what one node says another hears, and after a broken line it is told of a gap', async () => {
  const { db, connection } = database()
  const heard: string[] = []
  const heardAnother = new EventTarget()
  const notifications = await listen(connection, () => undefined)
  const hear = (what: string) => {
    heard.push(what)
    heardAnother.dispatchEvent(new Event('heard'))
  }
  notifications.on('tillgate_sessions', hear)
  notifications.onGap(() => hear('a gap'))
  const until = async (count: number) => {
    while (heard.length < count) await once(heardAnother, 'heard')
  }
  await db.run(tell, ['17'])
  await until(1)
  await db.run(hangUp, [])
  await until(3)
  await db.run(tell, ['18'])
  await until(4)
  await notifications.close()
  assert.deepEqual(heard, ['17', 'a gap', 'a gap', '18'])
})

test('a line that never came about is not looked for again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let calls = 0
  const server = createServer((socket) => {
    calls += 1
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  assert(address && typeof address === 'object')
  const { port } = address
  await assert.rejects(
    listen({ connectionString: `postgres://nobody@127.0.0.1:${port}/none` }, () => undefined),
  )
  assert.equal(calls, 1)
  t.mock.timers.tick(60_000)
  const ours = connect(port, '127.0.0.1')
  await once(ours, 'close')
  assert.equal(calls, 2)
})
