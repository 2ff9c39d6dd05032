import type { InstalmentId, PlanId } from '#capabilities/recurring/instalment.ts'
import type { Plan } from '#capabilities/recurring/plan.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { arrayOf, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertPlanPostsStatement = statement(
  'insert_plan_posts',
  [arrayOf(int8), arrayOf(nullable(int8)), arrayOf(text), timestamptz],
  {},
  `insert into plan_post (plan_id, instalment_id, attempt_ref, happened_at)
   select i.*, $4 from unnest($1::int8[], $2::int8[], $3::text[]) as i`,
)

const listPlanPostsStatement = statement(
  'list_plan_posts',
  [int8, int4],
  { plan_post_id: int8 },
  `select plan_post_id from plan_post where plan_post_id > $1 order by plan_post_id limit $2::integer`,
)

const takePlanPostStatement = statement(
  'take_plan_post',
  [int8],
  {
    plan_id: int8,
    account_id: int8,
    consent_id: int8,
    instalment_id: nullable(int8),
    payment_number: nullable(int4),
    attempt_ref: text,
    happened_at: timestamptz,
  },
  `with taken as (
     delete from plan_post where plan_post_id = (
       select plan_post_id from plan_post where plan_post_id = $1 for update skip locked)
     returning plan_id, instalment_id, attempt_ref, happened_at
   )
   select t.plan_id, p.account_id, p.consent_id, t.instalment_id, i.payment_number, t.attempt_ref,
     t.happened_at
   from taken t join plan p using (plan_id) left join instalment i using (instalment_id)`,
)

type NewPlanPost = {
  readonly plan: Pick<Plan, 'planId' | 'posting'>
  // null: the plan was made.
  readonly instalmentId: InstalmentId | null
  readonly ref: AcquirerRef
}

// Those whose plan has no PostURL are left out.
export async function insertPlanPosts(
  tx: Tx,
  posts: readonly NewPlanPost[],
  at: Temporal.Instant,
): Promise<void> {
  const posted = posts.filter(({ plan }) => plan.posting.url !== '')
  if (posted.length === 0) return
  await tx.run(insertPlanPostsStatement, [
    posted.map(({ plan }) => plan.planId),
    posted.map(({ instalmentId }) => instalmentId),
    posted.map(({ ref }) => ref),
    at,
  ])
}

type Portion = { readonly after: bigint; readonly most: number }

export async function listPlanPosts(db: Queryable, { after, most }: Portion): Promise<readonly bigint[]> {
  return (await db.run(listPlanPostsStatement, [after, most])).map((row) => row.plan_post_id)
}

export type TakenPlanPost = {
  readonly planId: PlanId
  readonly accountId: bigint
  readonly consentId: bigint
  // null: the plan was made.
  readonly payment: { readonly instalmentId: InstalmentId; readonly paymentNumber: number } | null
  readonly ref: AcquirerRef
  readonly at: Temporal.Instant
}

// null when it was queued, or when another node is about to.
export async function takePlanPost(tx: Tx, post: bigint): Promise<TakenPlanPost | null> {
  const [row] = await tx.run(takePlanPostStatement, [post])
  if (!row) return null
  const { instalment_id: instalmentId, payment_number: paymentNumber } = row
  return {
    planId: row.plan_id as PlanId,
    accountId: row.account_id,
    consentId: row.consent_id,
    payment:
      instalmentId === null || paymentNumber === null
        ? null
        : { instalmentId: instalmentId as InstalmentId, paymentNumber },
    ref: row.attempt_ref as AcquirerRef,
    at: row.happened_at,
  }
}
