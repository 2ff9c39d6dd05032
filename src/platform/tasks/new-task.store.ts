import { arrayOf, int4, int8, jsonb, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

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
