import { int4, int8, text } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import type { TaskClaim } from '#platform/tasks/task-claim.store.ts'

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
export async function finishTask(db: Queryable, { taskId, fence }: TaskClaim): Promise<boolean> {
  const deleted = await db.run(deleteFinishedTaskStatement, [taskId, fence])
  return deleted.length > 0 || repeatTask(db, { taskId, fence }, 0)
}

export async function repeatTask(db: Queryable, claim: TaskClaim, afterMs: number): Promise<boolean> {
  const rows = await db.run(repeatTaskStatement, [claim.taskId, claim.fence, BigInt(afterMs)])
  return rows.length > 0
}

type Failed = TaskClaim & { readonly error: string }

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
