import type { InstalmentId, PlanId } from '#capabilities/recurring/instalment.ts'
import type { PlanEvent, PlanEventKind } from '#capabilities/recurring/plan.ts'
import { accountId } from '#kernel/ids.ts'
import { arrayOf, date, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertPlanEventsStatement = statement(
  'insert_plan_events',
  [
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(nullable(int8)),
    arrayOf(text),
    arrayOf(text),
    arrayOf(nullable(text)),
    arrayOf(nullable(date)),
    timestamptz,
  ],
  {},
  `insert into plan_event (plan_id, account_id, instalment_id, what, because, attempt_ref, next_on,
     happened_at)
   select i.*, $8 from unnest($1::int8[], $2::int8[], $3::int8[], $4::text[], $5::text[], $6::text[],
     $7::date[]) as i`,
)

const listPlanEventsStatement = statement(
  'list_plan_events',
  [int8],
  {
    plan_id: int8,
    account_id: int8,
    instalment_id: nullable(int8),
    what: text,
    because: text,
    attempt_ref: nullable(text),
    next_on: nullable(date),
    happened_at: timestamptz,
  },
  `select plan_id, account_id, instalment_id, what, because, attempt_ref, next_on, happened_at
   from plan_event where plan_id = $1 order by plan_event_id`,
)

export async function insertPlanEvents(
  tx: Tx,
  events: readonly PlanEvent[],
  at: Temporal.Instant,
): Promise<void> {
  if (events.length === 0) return
  await tx.run(insertPlanEventsStatement, [
    events.map(({ planId }) => planId),
    events.map((one) => one.accountId),
    events.map(({ instalmentId }) => instalmentId),
    events.map(({ what }) => what),
    events.map(({ because }) => because),
    events.map(({ attemptRef }) => attemptRef),
    events.map(({ nextOn }) => nextOn),
    at,
  ])
}

export type PastPlanEvent = PlanEvent & { readonly at: Temporal.Instant }

export async function listPlanEvents(db: Queryable, planId: PlanId): Promise<readonly PastPlanEvent[]> {
  const rows = await db.run(listPlanEventsStatement, [planId])
  return rows.map((row) => ({
    planId: row.plan_id as PlanId,
    accountId: accountId(row.account_id),
    instalmentId: row.instalment_id as InstalmentId | null,
    what: row.what as PlanEventKind,
    because: row.because,
    attemptRef: row.attempt_ref,
    nextOn: row.next_on,
    at: row.happened_at,
  }))
}
