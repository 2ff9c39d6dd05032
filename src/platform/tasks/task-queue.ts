import type { Queryable } from '#platform/postgres/database.ts'
import type { TaskKind } from '#platform/tasks/task.ts'
import { insertTasks } from '#platform/tasks/new-task.store.ts'

export { countTasks } from '#platform/tasks/task-count.store.ts'

type NewTask<Payload> = {
  // At most one open task of a kind has this key.
  readonly key: string
  readonly payload: Payload
  // By real time. What falls due by an account's clock is no task: see capabilities/due-work.ts.
  readonly dueAt?: Temporal.Instant
  readonly accountId?: bigint
}

const triesMaxDefault = 12

// Inside a transaction the tasks exist, and the runners hear of them, when it commits. Asking again for a
// task that waits makes it due at the earlier time; asking for one that is being run has it run once more.
// The newest payload counts. The row stays locked until the transaction ends, so a key that many share is
// best asked for last.
export async function enqueue<Payload>(
  db: Queryable,
  { kind, triesMax = triesMaxDefault }: TaskKind<Payload>,
  ...news: readonly NewTask<NoInfer<Payload>>[]
): Promise<void> {
  // One statement can touch a row once, and everybody locks rows in the order of keys.
  const byKey = new Map(news.map((one) => [one.key, one]))
  const rows = [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
  await insertTasks(db, {
    kind,
    triesMax,
    rows: rows.map(({ key, payload, accountId, dueAt }) => ({
      key,
      payload,
      accountId: accountId ?? null,
      dueAt: dueAt ?? null,
    })),
  })
}
