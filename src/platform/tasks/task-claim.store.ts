import { arrayOf, int4, int8, jsonb, nullable, text } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

// Leases and due times go by the database's clock, which is the same for all nodes.

// A claim on a task. Whoever holds an older fence than the row changes nothing.
export type TaskClaim = { readonly taskId: bigint; readonly fence: number }

export type ClaimedTask = TaskClaim & {
  readonly kind: string
  readonly key: string
  readonly accountId: bigint | null
  readonly payload: unknown
  readonly tries: number
  readonly triesMax: number | null
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
  claims: readonly TaskClaim[],
  leaseMs: number,
): Promise<ReadonlySet<bigint>> {
  const rows = await db.run(renewLeasesStatement, [
    claims.map(({ taskId }) => taskId),
    claims.map(({ fence }) => fence),
    leaseMs,
  ])
  return new Set(rows.map((row) => row.task_id))
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

export async function releaseTask(db: Queryable, { taskId, fence }: TaskClaim): Promise<void> {
  await db.run(releaseTaskStatement, [taskId, fence])
}
