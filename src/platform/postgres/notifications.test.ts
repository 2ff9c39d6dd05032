import assert from 'node:assert/strict'
import { once } from 'node:events'
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

test('what one node says another hears, and after a broken line it is told to trust nothing', async () => {
  const { db, connection } = database()
  const heard: (string | null)[] = []
  const heardAnother = new EventTarget()
  const notifications = await listen(connection, () => undefined)
  notifications.on('tillgate_sessions', (payload) => {
    heard.push(payload)
    heardAnother.dispatchEvent(new Event('heard'))
  })
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
  assert.deepEqual(heard, ['17', null, null, '18'])
})
