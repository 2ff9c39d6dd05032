import { assert } from '#kernel/assert.ts'
import { arrayOf, int4, int8, jsonb, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

// Leases and due times go by the database's clock, which is the same for all nodes.

// A claim on a task. Whoever holds an older fence than the row changes nothing.
type Claim = { readonly taskId: bigint; readonly fence: number }

export type ClaimedTask = Claim & {
  readonly kind: string
  readonly key: string
  readonly accountId: bigint | null
  readonly payload: unknown
  readonly tries: number
  readonly triesMax: number | null
}

type NewTasks = {
  readonly kind: string
  readonly triesMax: number
  readonly rows: readonly {
    readonly key: string
    readonly payload: unknown
    readonly accountId: bigint | null
    readonly dueAt: Temporal.Instant | null
  }[]
}

const insertTasksStatement = statement(
  'insert_tasks',
  [text, int4, arrayOf(text), arrayOf(jsonb), arrayOf(nullable(int8)), arrayOf(nullable(timestamptz))],
  { told: text },
  `
  with asked as (
    insert into task (kind, tries_max, key, payload, account_id, due_at)
    select $1, $2, asked.key, asked.payload, asked.account_id, coalesce(asked.due_at, now())
    from unnest($3::text[], $4::jsonb[], $5::bigint[], $6::timestamptz[])
      as asked (key, payload, account_id, due_at)
    on conflict (kind, key) where state = 'waiting' do update set
      payload = excluded.payload,
      due_at = case when task.lease_owner is null then least(task.due_at, excluded.due_at)
                    else task.due_at end,
      due_again_at = case when task.lease_owner is null then task.due_again_at
                          else least(task.due_again_at, excluded.due_at) end
    returning kind)
  select pg_notify('tillgate_tasks', $1)::text as told
  from asked
  limit 1`,
)

export async function insertTasks(db: Queryable, { kind, triesMax, rows }: NewTasks): Promise<void> {
  await db.run(insertTasksStatement, [
    kind,
    triesMax,
    rows.map(({ key }) => key),
    rows.map(({ payload }) => payload),
    rows.map(({ accountId }) => accountId),
    rows.map(({ dueAt }) => dueAt),
  ])
}

const ensurePeriodicTasksStatement = statement(
  'ensure_periodic_tasks',
  [arrayOf(text)],
  {},
  `
  insert into task (kind, key, payload, due_at)
  select periodic.kind, 'periodic', 'null', now()
  from unnest($1::text[]) as periodic (kind)
  order by periodic.kind
  on conflict (kind, key) where state = 'waiting' do nothing`,
)

export async function ensurePeriodicTasks(db: Queryable, kinds: readonly string[]): Promise<void> {
  await db.run(ensurePeriodicTasksStatement, [kinds])
}

const claimedColumns = {
  task_id: int8,
  fence: int4,
  kind: text,
  key: text,
  account_id: nullable(int8),
  payload: jsonb,
  tries: int4,
  tries_max: nullable(int4),
}

const claimDueTasksStatement = statement(
  'claim_due_tasks',
  [arrayOf(text), int4, text, int4],
  claimedColumns,
  `
  with due as (
    select task_id
    from task
    where state = 'waiting' and due_at <= now() and kind = any($1)
      and (lease_until is null or lease_until < now())
    order by due_at
    limit $2::int4
    for update skip locked)
  update task set
    fence = task.fence + 1,
    tries = task.tries + 1,
    lease_owner = $3,
    lease_until = now() + $4::int4 * interval '1 millisecond',
    due_again_at = case when task.due_again_at > now() then task.due_again_at end
  from due
  where task.task_id = due.task_id
  returning task.task_id, fence, kind, key, account_id, payload, tries, tries_max`,
)

type ClaimLimits = {
  // A node leaves alone what a newer version has asked for and it does not know.
  readonly kinds: readonly string[]
  readonly count: number
  readonly owner: string
  readonly leaseMs: number
}

export async function claimDueTasks(db: Queryable, limits: ClaimLimits): Promise<readonly ClaimedTask[]> {
  const { kinds, count, owner, leaseMs } = limits
  const rows = await db.run(claimDueTasksStatement, [kinds, count, owner, leaseMs])
  return rows.map(claimedTaskFromRow)
}

function claimedTaskFromRow(row: RowOf<typeof claimedColumns>): ClaimedTask {
  return {
    taskId: row.task_id,
    fence: row.fence,
    kind: row.kind,
    key: row.key,
    accountId: row.account_id,
    payload: row.payload,
    tries: row.tries,
    triesMax: row.tries_max,
  }
}

const findNextDueStatement = statement(
  'find_next_due',
  [arrayOf(text), int4],
  { wait_ms: int4 },
  `
  select ceil(extract(epoch from due_at - now()) * 1000)::int4 as wait_ms
  from task
  where state = 'waiting' and kind = any($1)
    and due_at > now() and due_at < now() + $2::int4 * interval '1 millisecond'
  order by due_at
  limit 1`,
)

// How long until the next task falls due, looking no further ahead than the bound.
export async function msUntilNextDue(
  db: Queryable,
  { kinds, boundMs }: { readonly kinds: readonly string[]; readonly boundMs: number },
): Promise<number> {
  const [next] = await db.run(findNextDueStatement, [kinds, boundMs])
  return next ? next.wait_ms : boundMs
}

// Rows that an asker has locked just now are left for the next beat: heartbeats neither wait nor deadlock.
const renewLeasesStatement = statement(
  'renew_leases',
  [arrayOf(int8), arrayOf(int4), int4],
  { task_id: int8 },
  `
  with claim as (
    select claim.task_id, claim.fence from unnest($1::bigint[], $2::int[]) as claim (task_id, fence)),
  free as (
    select task.task_id
    from task join claim on claim.task_id = task.task_id and claim.fence = task.fence
    for update of task skip locked),
  renewed as (
    update task set lease_until = now() + $3::int4 * interval '1 millisecond'
    from free
    where task.task_id = free.task_id and task.lease_owner is not null)
  select task.task_id
  from task join claim on claim.task_id = task.task_id and claim.fence = task.fence`,
)

// Answers the tasks that are still held.
export async function renewLeases(
  db: Queryable,
  claims: readonly Claim[],
  leaseMs: number,
): Promise<ReadonlySet<bigint>> {
  const rows = await db.run(renewLeasesStatement, [
    claims.map(({ taskId }) => taskId),
    claims.map(({ fence }) => fence),
    leaseMs,
  ])
  return new Set(rows.map((row) => row.task_id))
}

const changed = { task_id: int8 }

const deleteFinishedTaskStatement = statement(
  'delete_finished_task',
  [int8, int4],
  changed,
  `
  delete from task
  where task_id = $1 and fence = $2 and due_again_at is null
  returning task_id`,
)

const repeatTaskStatement = statement(
  'repeat_task',
  [int8, int4, int8],
  changed,
  `
  update task set
    due_at = coalesce(due_again_at, now() + $3::int8 * interval '1 millisecond'), due_again_at = null,
    tries = 0, last_error = null, lease_owner = null, lease_until = null
  where task_id = $1 and fence = $2
  returning task_id`,
)

const putOffTaskStatement = statement(
  'put_off_task',
  [int8, int4, text, int8],
  changed,
  `
  update task set
    due_at = now() + $4::int8 * interval '1 millisecond', last_error = $3,
    lease_owner = null, lease_until = null
  where task_id = $1 and fence = $2
  returning task_id`,
)

const buryTaskStatement = statement(
  'bury_task',
  [int8, int4, text],
  changed,
  `
  update task set state = 'dead', last_error = $3, lease_owner = null, lease_until = null
  where task_id = $1 and fence = $2 and due_again_at is null
  returning task_id`,
)

// These four answer whether the task was still ours to change.
export async function finishTask(db: Queryable, { taskId, fence }: Claim): Promise<boolean> {
  const deleted = await db.run(deleteFinishedTaskStatement, [taskId, fence])
  return deleted.length > 0 || repeatTask(db, { taskId, fence }, 0)
}

export async function repeatTask(db: Queryable, claim: Claim, afterMs: number): Promise<boolean> {
  const rows = await db.run(repeatTaskStatement, [claim.taskId, claim.fence, BigInt(afterMs)])
  return rows.length > 0
}

type Failed = Claim & { readonly error: string }

export async function putOffTask(db: Queryable, failed: Failed, delayMs: number): Promise<boolean> {
  const { taskId, fence, error } = failed
  const rows = await db.run(putOffTaskStatement, [taskId, fence, error, BigInt(delayMs)])
  return rows.length > 0
}

// A task that was asked for again while its last try failed starts afresh instead.
export async function buryTask(db: Queryable, { taskId, fence, error }: Failed): Promise<boolean> {
  const buried = await db.run(buryTaskStatement, [taskId, fence, error])
  return buried.length > 0 || repeatTask(db, { taskId, fence }, 0)
}

// A try that was cut short by a node's stop does not count.
const releaseTaskStatement = statement(
  'release_task',
  [int8, int4],
  { told: text },
  `
  with released as (
    update task set tries = tries - 1, lease_owner = null, lease_until = null
    where task_id = $1 and fence = $2 and lease_owner is not null
    returning kind)
  select pg_notify('tillgate_tasks', kind)::text as told from released`,
)

export async function releaseTask(db: Queryable, { taskId, fence }: Claim): Promise<void> {
  await db.run(releaseTaskStatement, [taskId, fence])
}

const countTasksStatement = statement(
  'count_tasks',
  [],
  { waiting: int4, overdue: int4, failing: int4, dead: int4 },
  `
  select
    count(*) filter (where state = 'waiting')::int4 as waiting,
    count(*) filter (where state = 'waiting' and due_at < now() - interval '1 minute'
      and (lease_until is null or lease_until < now()))::int4 as overdue,
    count(*) filter (where state = 'waiting' and last_error is not null)::int4 as failing,
    count(*) filter (where state = 'dead')::int4 as dead
  from task`,
)

type TaskCounts = RowOf<(typeof countTasksStatement)['columns']>

// Overdue: due for more than a minute and run by nobody. Failing: the last try failed, another will follow.
export async function countTasks(db: Queryable): Promise<TaskCounts> {
  const [counts] = await db.run(countTasksStatement, [])
  assert(counts, 'a count has one row')
  return counts
}
