import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { int4, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { statement } from '#platform/postgres/statement.ts'
import { HeldTasks } from '#platform/tasks/held-tasks.ts'
import { Outage } from '#platform/postgres/outage.ts'
import { claimDueTasks } from '#platform/tasks/task-claim.store.ts'
import { enqueue } from '#platform/tasks/task-queue.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()
const soon = { timeout: 20_000, interval: 10 }
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

const readLeaseStatement = statement(
  'test_read_lease',
  [text],
  { fence: int4, lease_owner: nullable(text), lease_until: nullable(timestamptz) },
  `select fence, lease_owner, lease_until from task where kind = $1`,
)
const takeOverStatement = statement(
  'test_take_over',
  [text],
  {},
  `update task set fence = fence + 1, lease_owner = 'other node', lease_until = now() + interval '1 hour'
  where kind = $1`,
)

async function claimOne(kind: string, leaseMs: number) {
  const { db } = database()
  await enqueue(db, { kind, read: Number }, { key: 'a', payload: 1 })
  const [claimed] = await claimDueTasks(db, { kinds: [kind], count: 1, owner: 'node', leaseMs })
  assert.ok(claimed)
  return claimed
}

async function leaseOf(kind: string) {
  const [row] = await database().db.run(readLeaseStatement, [kind])
  assert.ok(row)
  return row
}

function holder(t: TestContext, leaseMs: number, db: Queryable = database().db) {
  const held = new HeldTasks({ db, outage: new Outage(silent), leaseMs })
  t.after(() => held.close(0))
  return held
}

const disconnected: Queryable = {
  run: () => Promise.reject(new DatabaseUnavailable('The database does not answer')),
}

// Ends only with its signal, like a call to a counterpart that is silent, and remembers why.
function silentCall() {
  const reasons: string[] = []
  const run = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        reasons.push(String(signal.reason))
        resolve()
      })
    })
  return { run, reasons }
}

test('a task that takes long keeps its lease', async (t) => {
  const claimed = await claimOne('kept', 3_000)
  const before = await leaseOf('kept')
  void holder(t, 3_000).hold(claimed, silentCall().run)
  await t.waitFor(async () => {
    const { lease_until: until } = await leaseOf('kept')
    assert.ok(until && before.lease_until && Temporal.Instant.compare(until, before.lease_until) > 0)
  }, soon)
  assert.equal((await leaseOf('kept')).fence, before.fence)
})

test('a task that another node has taken over is told to end and left as it is', async (t) => {
  const claimed = await claimOne('taken_over', 3_000)
  await database().db.run(takeOverStatement, ['taken_over'])
  const before = await leaseOf('taken_over')
  const { run, reasons } = silentCall()
  await holder(t, 3_000).hold(claimed, run)
  assert.deepEqual(reasons, ['Error: Another node has taken over'])
  assert.deepEqual(await leaseOf('taken_over'), before)
})

test('a task that must be feared lost, because heartbeats fail, is told to end', async (t) => {
  const claimed = await claimOne('cut_off', 3_600_000)
  const { run, reasons } = silentCall()
  await holder(t, 60, disconnected).hold(claimed, run)
  assert.deepEqual(reasons, ['Error: Heartbeats have failed'])
})

test('what does not end in time is told to end and handed over without a lease', async (t) => {
  const claimed = await claimOne('handed_on', 3_600_000)
  const held = holder(t, 3_600_000)
  const { run, reasons } = silentCall()
  const ended = held.hold(claimed, run)
  await held.close(0)
  await ended
  assert.deepEqual(reasons, ['Error: The node is stopping'])
  assert.deepEqual(await leaseOf('handed_on'), { fence: 1, lease_owner: null, lease_until: null })
})
