import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int4, jsonb, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { claimDueTasks, releaseTask, renewLeases } from '#platform/tasks/task-claim.store.ts'
import { buryTask, finishTask, putOffTask, repeatTask } from '#platform/tasks/task-end.store.ts'
import { ensurePeriodicTasks } from '#platform/tasks/new-task.store.ts'
import { countTasks, enqueue } from '#platform/tasks/task-queue.ts'
import type { TaskKind } from '#platform/tasks/task.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()
const soon = Temporal.Instant.from('2098-01-01T00:00:00Z')
const later = Temporal.Instant.from('2099-01-01T00:00:00Z')

const readTasksStatement = statement(
  'test_read_tasks',
  [text],
  {
    key: text,
    payload: jsonb,
    state: text,
    tries: int4,
    due_at: timestamptz,
    last_error: nullable(text),
    lease_owner: nullable(text),
  },
  `
  select key, payload, state, tries, due_at, last_error, lease_owner
  from task
  where kind = $1
  order by key, task_id`,
)
const endLeasesStatement = statement(
  'test_end_leases',
  [text],
  {},
  `update task set lease_until = now() - interval '1 second' where kind = $1`,
)
// As nodes of the version before migration 32 ask for a task, and look for those that are due.
const askOfOlderNodeStatement = statement(
  'test_ask_of_older_node',
  [text],
  { clock: text },
  `
  insert into task (kind, key, payload, account_id, clock, due_at)
  select $1, 'a', '1', null, 'real', now()
  returning clock`,
)
const dueOfOlderNodeStatement = statement(
  'test_due_of_older_node',
  [text],
  { key: text },
  `select key from task where state = 'waiting' and clock = 'real' and due_at <= now() and kind = $1`,
)

const kindOf = (kind: string): TaskKind<number> => ({ kind, triesMax: 3, read: Number })
const rowsOf = (kind: string) => database().db.run(readTasksStatement, [kind])
const endLeases = (kind: string) => database().db.run(endLeasesStatement, [kind])
const claim = (kind: string, owner = 'node one') =>
  claimDueTasks(database().db, { kinds: [kind], count: 100, owner, leaseMs: 60_000 })

async function claimOne(kind: string, owner?: string) {
  const [claimed, ...others] = await claim(kind, owner)
  assert.ok(claimed)
  assert.equal(others.length, 0)
  return claimed
}

test('a task asked for in a transaction that is undone never exists', async () => {
  const undone = database().db.inTransaction(async (tx) => {
    await enqueue(tx, kindOf('undone'), { key: 'a', payload: 1 })
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.deepEqual(await rowsOf('undone'), [])
})

test('a task waits once however often it is asked for, and keeps the newest payload', async () => {
  const { db } = database()
  const kind = kindOf('asked_often')
  await enqueue(db, kind, { key: 'a', payload: 1, dueAt: soon }, { key: 'b', payload: 2, dueAt: soon })
  await enqueue(db, kind, { key: 'b', payload: 3, dueAt: later }, { key: 'b', payload: 4, dueAt: later })
  const rows = await rowsOf('asked_often')
  assert.deepEqual(
    rows.map(({ key, payload, due_at }) => [key, payload, String(due_at)]),
    [
      ['a', 1, '2098-01-01T00:00:00Z'],
      ['b', 4, '2098-01-01T00:00:00Z'],
    ],
  )
})

test('a task asked for while it is being run is due once more', async () => {
  const { db } = database()
  const kind = kindOf('asked_while_run')
  await enqueue(db, kind, { key: 'a', payload: 1 })
  const first = await claimOne('asked_while_run')
  await enqueue(db, kind, { key: 'a', payload: 2 })
  assert.deepEqual(await claim('asked_while_run'), [])
  assert.equal(await finishTask(db, first), true)
  const second = await claimOne('asked_while_run')
  assert.equal(second.payload, 2)
  assert.equal(second.tries, 1)
  assert.equal(await finishTask(db, second), true)
  assert.deepEqual(await rowsOf('asked_while_run'), [])
})

test('a task asked for while its last try fails starts afresh instead of dying', async () => {
  const { db } = database()
  const kind = kindOf('asked_while_failing')
  await enqueue(db, kind, { key: 'a', payload: 1 })
  const claimed = await claimOne('asked_while_failing')
  await enqueue(db, kind, { key: 'a', payload: 2 })
  assert.equal(await buryTask(db, { ...claimed, error: 'broken' }), true)
  const [row] = await rowsOf('asked_while_failing')
  assert.equal(row?.state, 'waiting')
  assert.equal(row?.tries, 0)
})

test('a task not yet due is left alone', async () => {
  const { db } = database()
  await enqueue(db, kindOf('not_due'), { key: 'future', payload: 1, dueAt: soon })
  assert.deepEqual(await claim('not_due'), [])
  assert.equal((await rowsOf('not_due')).length, 1)
})

test('nodes of the version before and ours run what the other has asked for', async () => {
  const { db } = database()
  await db.run(askOfOlderNodeStatement, ['asked_by_older'])
  assert.equal((await claimOne('asked_by_older')).key, 'a')
  await enqueue(db, kindOf('asked_by_newer'), { key: 'b', payload: 1 })
  assert.deepEqual(await db.run(dueOfOlderNodeStatement, ['asked_by_newer']), [{ key: 'b' }])
})

test('a claimed task belongs to one node until its lease ends', async () => {
  const { db } = database()
  await enqueue(db, kindOf('leased'), { key: 'a', payload: 1 })
  const first = await claimOne('leased')
  assert.deepEqual(await claim('leased', 'node two'), [])
  await endLeases('leased')
  const second = await claimOne('leased', 'node two')
  assert.equal(second.fence, first.fence + 1)
  assert.equal(second.tries, 2)
})

test('a heartbeat keeps the lease and tells which tasks are lost', async () => {
  const { db } = database()
  await enqueue(db, kindOf('renewed'), { key: 'a', payload: 1 }, { key: 'b', payload: 2 })
  const claimed = await claim('renewed')
  await endLeases('renewed')
  const kept = await renewLeases(db, claimed, 60_000)
  assert.deepEqual(kept, new Set(claimed.map(({ taskId }) => taskId)))
  assert.deepEqual(await claim('renewed', 'node two'), [])
  await endLeases('renewed')
  await claim('renewed', 'node two')
  assert.deepEqual(await renewLeases(db, claimed, 60_000), new Set())
})

test('a heartbeat neither waits for an asker nor takes the task for lost', async () => {
  const { db } = database()
  const kind = kindOf('renewed_while_asked')
  await enqueue(db, kind, { key: 'a', payload: 1 })
  const claimed = await claimOne('renewed_while_asked')
  await db.inTransaction(async (tx) => {
    await enqueue(tx, kind, { key: 'a', payload: 2 })
    assert.deepEqual(await renewLeases(db, [claimed], 60_000), new Set([claimed.taskId]))
  })
})

test('a sleeper that has lost its lease changes nothing', async () => {
  const { db } = database()
  await enqueue(db, kindOf('slept'), { key: 'a', payload: 1 })
  const sleeper = await claimOne('slept')
  await endLeases('slept')
  const taker = await claimOne('slept', 'node two')
  const before = await rowsOf('slept')
  assert.equal(await finishTask(db, sleeper), false)
  assert.equal(await repeatTask(db, sleeper, 0), false)
  assert.equal(await putOffTask(db, { ...sleeper, error: 'late' }, 0), false)
  assert.equal(await buryTask(db, { ...sleeper, error: 'late' }), false)
  await releaseTask(db, sleeper)
  assert.deepEqual(await rowsOf('slept'), before)
  assert.equal(await finishTask(db, taker), true)
})

test('a dead task stays visible and does not stand in the way of a new one', async () => {
  const { db } = database()
  const before = await countTasks(db)
  const kind = kindOf('buried')
  await enqueue(db, kind, { key: 'a', payload: 1 })
  await buryTask(db, { ...(await claimOne('buried')), error: 'broken' })
  await enqueue(db, kind, { key: 'a', payload: 2 })
  const rows = await rowsOf('buried')
  assert.deepEqual(
    rows.map(({ state, last_error }) => [state, last_error]),
    [
      ['dead', 'broken'],
      ['waiting', null],
    ],
  )
  const counts = await countTasks(db)
  assert.equal(counts.dead, before.dead + 1)
  assert.equal(counts.waiting, before.waiting + 1)
})

test('counts as overdue what should have run and as failing what will be tried again', async () => {
  const { db } = database()
  const before = await countTasks(db)
  const past = Temporal.Instant.from('2001-01-01T00:00:00Z')
  await enqueue(db, kindOf('overdue'), { key: 'a', payload: 1, dueAt: past })
  await enqueue(db, kindOf('failing'), { key: 'a', payload: 1 })
  await putOffTask(db, { ...(await claimOne('failing')), error: 'broken' }, 3_600_000)
  const counts = await countTasks(db)
  assert.equal(counts.overdue, before.overdue + 1)
  assert.equal(counts.failing, before.failing + 1)
})

test('a periodic task has one row, whoever asks for it', async () => {
  const { db } = database()
  await Promise.all([1, 2, 3].map(() => ensurePeriodicTasks(db, ['every_so_often', 'every_now_and_then'])))
  assert.equal((await rowsOf('every_so_often')).length, 1)
  assert.equal((await rowsOf('every_now_and_then')).length, 1)
})
