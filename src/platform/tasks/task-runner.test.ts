import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { int4, nullable, text } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { Outage } from '#platform/postgres/outage.ts'
import { listen } from '#platform/postgres/notifications.ts'
import { statement } from '#platform/postgres/statement.ts'
import { defineTask, definePeriodicTask, type DueTask, type TaskKind } from '#platform/tasks/task.ts'
import { enqueue } from '#platform/tasks/task-queue.ts'
import { claimDueTasks } from '#platform/tasks/task-claim.store.ts'
import { startTaskRunner, type TaskRunnerOptions } from '#platform/tasks/task-runner.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()
const deaf = { on: () => undefined, onGap: () => undefined }
const never = 3_600_000
// Only what is broken takes as long; nothing waits for it otherwise.
const soon = { timeout: 120_000, interval: 10 }

const readRunStatement = statement(
  'test_read_run',
  [text],
  { state: text, tries: int4, fence: int4, last_error: nullable(text), lease_owner: nullable(text) },
  `select state, tries, fence, last_error, lease_owner from task where kind = $1 order by task_id`,
)
const makeDueStatement = statement(
  'test_make_due',
  [text],
  {},
  `update task set due_at = now() where kind = $1 and lease_owner is null`,
)
const endLeaseStatement = statement(
  'test_end_lease',
  [text],
  {},
  `update task set lease_until = now() - interval '1 second' where kind = $1`,
)

const rowsOf = (kind: string) => database().db.run(readRunStatement, [kind])
const kindOf = (kind: string, triesMax = 3): TaskKind<number> => ({ kind, triesMax, read: Number })

type Line = { readonly level: string; readonly fields: object; readonly said: string }

function recordingLog() {
  const lines: Line[] = []
  const at = (level: string) => (fields: object, said: string) => void lines.push({ level, fields, said })
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } }
}

function start(
  t: TestContext,
  options: Pick<TaskRunnerOptions<null>, 'tasks'> & Partial<TaskRunnerOptions<null>>,
) {
  const { log } = recordingLog()
  const outage = new Outage(log)
  const common = { db: database().db, notifications: deaf, needs: null, log, outage, concurrency: 4 }
  const runner = startTaskRunner({ ...common, pollMs: 20, stopWaitMsMax: 0, ...options })
  t.after(() => runner.stop(), { timeout: 10_000 })
  return runner
}

// Ends only with its signal, like a call to a counterpart that is silent.
function untilAborted({ signal }: DueTask<unknown>): Promise<void> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('told to end')))
  })
}

test('two nodes run each of 200 tasks exactly once', async (t) => {
  const { db } = database()
  const kind = kindOf('shared')
  const numbers = Array.from({ length: 200 }, (_, at) => at)
  const runs: number[] = []
  const ran = Promise.withResolvers<void>()
  const task = defineTask(kind, async (_, { payload }) => {
    runs.push(payload)
    if (runs.length === numbers.length) ran.resolve()
    await Promise.resolve()
  })
  // However slow the machine is, no lease runs out and no node gives up what it is about to finish.
  const patient = { tasks: [task], leaseMs: never, stopWaitMsMax: never }
  const nodes = [start(t, patient), start(t, patient)]
  await enqueue(db, kind, ...numbers.map((payload) => ({ key: String(payload), payload })))
  await ran.promise
  await Promise.all(nodes.map((node) => node.stop()))
  assert.deepEqual(await rowsOf('shared'), [])
  assert.deepEqual(
    runs.toSorted((a, b) => a - b),
    numbers,
  )
})

test('a node that is held claims nothing, and goes on by itself', async (t) => {
  const kind = kindOf('held_back')
  const ran = Promise.withResolvers<void>()
  const looks = Promise.withResolvers<void>()
  let held = true
  await enqueue(database().db, kind, { key: 'a', payload: 1 })
  const isHeld = () => (looks.resolve(), held)
  start(t, { tasks: [defineTask(kind, async () => ran.resolve())], isHeld })
  await looks.promise
  assert.partialDeepStrictEqual(await rowsOf('held_back'), [{ fence: 0 }])
  held = false
  await ran.promise
})

test('a task that is asked for wakes the runner without waiting for the poll', async (t) => {
  const { db, connection } = database()
  const notifications = await listen(connection, () => undefined)
  t.after(() => notifications.close())
  const kind = kindOf('woken')
  const runs: number[] = []
  const task = defineTask(kind, async (_, { payload }) => void runs.push(payload))
  start(t, { tasks: [task], notifications, pollMs: never })
  for (const payload of [1, 2, 3]) {
    await db.inTransaction((tx) => enqueue(tx, kind, { key: 'a', payload }))
    await t.waitFor(async () => assert.deepEqual(await rowsOf('woken'), []), soon)
  }
  assert.deepEqual(runs, [1, 2, 3])
})

test('a task that falls due before the next poll is run when it falls due', async (t) => {
  const kind = kindOf('timed')
  const dueAt = Temporal.Now.instant().add({ milliseconds: 100 })
  await enqueue(database().db, kind, { key: 'a', payload: 1, dueAt })
  start(t, { tasks: [defineTask(kind, () => Promise.resolve())], pollMs: never })
  await t.waitFor(async () => assert.deepEqual(await rowsOf('timed'), []), soon)
})

test('a failed task is tried again, then stays visible as dead and is reported once', async (t) => {
  const { db } = database()
  const kind = kindOf('failed', 2)
  const { log, lines } = recordingLog()
  const task = defineTask(kind, () => Promise.reject(new Error('x'.repeat(600))))
  start(t, { tasks: [task], log })
  await enqueue(db, kind, { key: 'a', payload: 1 })
  await t.waitFor(async () => assert.equal((await rowsOf('failed'))[0]?.last_error?.length, 500), soon)
  await t.waitFor(async () => {
    await db.run(makeDueStatement, ['failed'])
    assert.equal((await rowsOf('failed'))[0]?.state, 'dead')
  }, soon)
  assert.equal((await rowsOf('failed'))[0]?.tries, 2)
  // It is told after it was done.
  const levels = () => lines.map(({ level }) => level)
  await t.waitFor(() => assert.deepEqual(levels(), ['warn', 'error']), soon)
})

test('a task whose payload cannot be read fails like any other', async (t) => {
  const kind: TaskKind<number> = {
    kind: 'unreadable',
    triesMax: 1,
    read: () => {
      throw new Error('not a number')
    },
  }
  start(t, { tasks: [defineTask(kind, () => Promise.resolve())] })
  await enqueue(database().db, kind, { key: 'a', payload: 1 })
  await t.waitFor(async () => {
    assert.equal((await rowsOf('unreadable'))[0]?.last_error, 'Error: not a number')
  }, soon)
})

test('a task that takes its node down with every try is given up without another', async (t) => {
  const { db } = database()
  const kind = kindOf('poisonous', 1)
  await enqueue(db, kind, { key: 'a', payload: 1 })
  await claimDueTasks(db, { kinds: ['poisonous'], count: 1, owner: 'lost node', leaseMs: never })
  await db.run(endLeaseStatement, ['poisonous'])
  let runs = 0
  const task = defineTask(kind, async () => void (runs += 1))
  start(t, { tasks: [task] })
  await t.waitFor(async () => assert.equal((await rowsOf('poisonous'))[0]?.state, 'dead'), soon)
  assert.equal(runs, 0)
})

test('a periodic task has one row with three nodes and runs again and again', async (t) => {
  let runs = 0
  const run = async () => {
    runs += 1
    if (runs === 2) throw new Error('broken once')
  }
  const task = definePeriodicTask({ kind: 'periodic', every: { hours: 1 }, run })
  for (let node = 0; node < 3; node += 1) start(t, { tasks: [task] })
  await t.waitFor(async () => {
    await database().db.run(makeDueStatement, ['periodic'])
    assert.equal((await rowsOf('periodic')).length, 1)
    assert.ok(runs >= 5)
  }, soon)
})

test('the tasks of a node that is killed run elsewhere', async (t) => {
  const { db, url } = database()
  const kind = kindOf('orphaned')
  await enqueue(db, kind, { key: 'a', payload: 1 }, { key: 'b', payload: 2 })
  const node = spawn(process.execPath, ['--input-type=module', '--eval', doomedNode], {
    cwd: new URL('../../..', import.meta.url),
    env: { ...process.env, DOOMED_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  t.after(() => node.kill('SIGKILL'))
  await t.waitFor(async () => assert.ok((await rowsOf('orphaned')).every((row) => row.lease_owner)), soon)
  const runs: number[] = []
  const task = defineTask(kind, async (_, { payload, tries }) => {
    assert.ok(tries > 1)
    runs.push(payload)
  })
  start(t, { tasks: [task] })
  node.kill('SIGKILL')
  await once(node, 'exit')
  await t.waitFor(async () => assert.deepEqual(await rowsOf('orphaned'), []), soon)
  assert.deepEqual(
    runs.toSorted((a, b) => a - b),
    [1, 2],
  )
})

const doomedNode = `
  import { openDatabase } from '#platform/postgres/database.ts'
  import { Outage } from '#platform/postgres/outage.ts'
  import { startTaskRunner } from '#platform/tasks/task-runner.ts'
  const db = openDatabase({ connectionString: process.env.DOOMED_URL }, { sizeMax: 2, onIdleError() {} })
  const tasks = [{ kind: 'orphaned', everyMs: null, run: () => new Promise(() => {}) }]
  const log = { info() {}, warn() {}, error() {} }
  const common = { db, notifications: { on() {}, onGap() {} }, needs: null, log, outage: new Outage(log) }
  startTaskRunner({ ...common, tasks, concurrency: 4, leaseMs: 1000 })`

test('a node that stops hands over at once what does not end in time', async (t) => {
  const { db } = database()
  const kind = kindOf('handed_over')
  const stopping = start(t, { tasks: [defineTask(kind, (_, due) => untilAborted(due))], leaseMs: never })
  await enqueue(db, kind, { key: 'a', payload: 1 })
  await t.waitFor(async () => assert.ok((await rowsOf('handed_over'))[0]?.lease_owner), soon)
  await stopping.stop()
  assert.deepEqual(await rowsOf('handed_over'), [
    { state: 'waiting', tries: 0, fence: 1, last_error: null, lease_owner: null },
  ])
  start(t, { tasks: [defineTask(kind, () => Promise.resolve())] })
  await t.waitFor(async () => assert.deepEqual(await rowsOf('handed_over'), []), soon)
})

test('a node that stops lets a running task end and claims no other', async (t) => {
  const { db } = database()
  const kind = kindOf('last')
  const end = Promise.withResolvers<void>()
  const options = { tasks: [defineTask(kind, () => end.promise)], concurrency: 1, stopWaitMsMax: never }
  const stopping = start(t, options)
  await enqueue(db, kind, { key: 'a', payload: 1 })
  await t.waitFor(async () => assert.ok((await rowsOf('last'))[0]?.lease_owner), soon)
  await enqueue(db, kind, { key: 'b', payload: 2 })
  const stopped = stopping.stop()
  end.resolve()
  await stopped
  const rows = await rowsOf('last')
  assert.deepEqual(
    rows.map(({ tries }) => tries),
    [0],
  )
})

test('a node that stops tells what is running to begin nothing more, and lets it end', async (t) => {
  const kind = kindOf('winding_down')
  const heard: boolean[] = []
  const begun = Promise.withResolvers<void>()
  const task = defineTask(kind, async (_, { signal, stopping }) => {
    begun.resolve()
    await once(stopping, 'abort')
    heard.push(signal.aborted)
  })
  const stopping = start(t, { tasks: [task], leaseMs: never, stopWaitMsMax: never })
  await enqueue(database().db, kind, { key: 'a', payload: 1 })
  await begun.promise
  await stopping.stop()
  assert.deepEqual([heard, await rowsOf('winding_down')], [[false], []])
})

test('a database that goes away is reported once, and work goes on when it is back', async (t) => {
  const { db } = database()
  const kind = kindOf('outlived')
  let isDown = true
  let refused = 0
  const run: Queryable['run'] = (one, values) => {
    if (!isDown) return db.run(one, values)
    refused += 1
    return Promise.reject(new DatabaseUnavailable('The database does not answer'))
  }
  const { log, lines } = recordingLog()
  const tasks = [defineTask(kind, () => Promise.resolve())]
  start(t, { db: { run }, tasks, log, outage: new Outage(log), pollMs: 5 })
  await enqueue(db, kind, { key: 'a', payload: 1 })
  await t.waitFor(() => assert.ok(refused >= 3), soon)
  isDown = false
  await t.waitFor(async () => assert.deepEqual(await rowsOf('outlived'), []), soon)
  // It is told after it was done.
  const levels = () => lines.map(({ level }) => level)
  await t.waitFor(() => assert.deepEqual(levels(), ['warn', 'info']), soon)
})
