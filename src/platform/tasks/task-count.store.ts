import { assert } from '#kernel/assert.ts'
import { int4 } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

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
