import type { ChargedInstalment, InstalmentMove } from '#capabilities/recurring/charged-instalment.ts'
import type { InstalmentId, PlanId } from '#capabilities/recurring/instalment.ts'
import type { Plan } from '#capabilities/recurring/plan.ts'
import type { Scheduling } from '#capabilities/recurring/scheduling.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'
import {
  arrayOf,
  bool,
  date,
  int4,
  int8,
  nullable,
  text,
  timestamptz,
} from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Waits for whoever takes or changes it right now. Only as it was when its attempt was prepared: the same
// amount, no other attempt in between, and the same day unless it was asked for by name.
const takeInstalmentsStatement = statement(
  'take_instalments',
  [
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(int4),
    arrayOf(int8),
    arrayOf(text),
    arrayOf(bool),
    arrayOf(nullable(date)),
  ],
  { attempt_ref: text },
  `update instalment i set state = 'charging', attempts = i.attempts + 1, tries = i.tries + 1,
     attempt_ref = t.ref, announce_on = null, had_failed = i.state = 'failed'
   from unnest($1::int8[], $2::int8[], $3::int4[], $4::int8[], $5::text[], $6::bool[],
     $7::date[]) as t (account_id, instalment_id, attempts, minor, ref, takes_failed, attempt_on)
   where i.instalment_id = t.instalment_id and i.account_id = t.account_id and i.attempts = t.attempts
     and i.amount_minor = t.minor and i.attempt_on = coalesce(t.attempt_on, i.attempt_on)
     and (i.state = 'scheduled' or (t.takes_failed and i.state = 'failed' and not i.is_final_failure
       and (select p.state from plan p where p.plan_id = i.plan_id) = 'active'))
   returning t.ref as attempt_ref`,
)

// Under their references nothing can be recorded any more, so the next attempt must have another one.
const countMissedStatement = statement(
  'count_missed_instalments',
  [arrayOf(int8), arrayOf(int8), arrayOf(int4)],
  {},
  `update instalment i set attempts = i.attempts + 1
   from unnest($1::int8[], $2::int8[], $3::int4[]) as t (account_id, instalment_id, attempts)
   where i.instalment_id = t.instalment_id and i.account_id = t.account_id and i.attempts = t.attempts`,
)

const readTakenStatement = statement(
  'read_taken_instalments',
  [arrayOf(int8)],
  {
    instalment_id: int8,
    plan_id: int8,
    payment_number: int4,
    due_on: date,
    attempt_on: date,
    collect_on: date,
    tries: int4,
    declines: int4,
    declined_on: nullable(date),
    had_failed: bool,
    brand: text,
    written: int4,
  },
  `select i.instalment_id, i.plan_id, i.payment_number, i.due_on, i.attempt_on, i.collect_on, i.tries,
     i.declines, i.declined_on, i.had_failed, v.brand,
     case when p.payments is null
       then (select max(o.payment_number) from instalment o where o.plan_id = i.plan_id)
       else p.payments end as written
   from instalment i
   join plan p using (plan_id)
   join consent c on c.consent_id = i.consent_id
   join vault_card v on v.card_id = c.card_id
   where i.instalment_id = any($1)`,
)

const moveInstalmentsStatement = statement(
  'move_instalments',
  [
    arrayOf(int8),
    arrayOf(text),
    arrayOf(text),
    arrayOf(date),
    arrayOf(date),
    arrayOf(int4),
    arrayOf(nullable(date)),
    arrayOf(bool),
    arrayOf(text),
    arrayOf(bool),
    timestamptz,
  ],
  { instalment_id: int8 },
  `update instalment i
   set state = m.state, attempt_on = m.attempt_on, collect_on = m.collect_on, declines = m.declines,
     declined_on = m.declined_on, is_final_failure = m.is_final_failure, because = m.because,
     claimed_until = null, changed_at = $11,
     tries = case when m.reached_bank then i.tries else i.tries - 1 end
   from unnest($1::int8[], $2::text[], $3::text[], $4::date[], $5::date[], $6::int4[], $7::date[],
     $8::bool[], $9::text[], $10::bool[]) as m (instalment_id, ref, state, attempt_on, collect_on, declines,
     declined_on, is_final_failure, because, reached_bank)
   where i.instalment_id = m.instalment_id and i.state = 'charging' and i.attempt_ref = m.ref
   returning i.instalment_id`,
)

const cancelScheduledStatement = statement(
  'cancel_scheduled_instalments',
  [arrayOf(int8), arrayOf(text), timestamptz],
  { instalment_id: int8, plan_id: int8 },
  `update instalment i set state = 'cancelled', announce_on = null, because = e.because, changed_at = $3
   from unnest($1::int8[], $2::text[]) as e (plan_id, because)
   where i.plan_id = e.plan_id and i.state = 'scheduled'
   returning i.instalment_id, i.plan_id`,
)

const cancelInstalmentStatement = statement(
  'cancel_instalment',
  [int8, text, timestamptz],
  {},
  `update instalment set state = 'cancelled', announce_on = null, because = $2, changed_at = $3
   where instalment_id = $1`,
)

const rescheduleStatement = statement(
  'reschedule_instalment',
  [int8, int8, date, date, date, nullable(date), text, timestamptz],
  {},
  `update instalment
   set state = 'scheduled', amount_minor = $2, due_on = $3, attempt_on = $4, collect_on = $5,
     announce_on = $6, declines = 0, declined_on = null, because = $7, changed_at = $8
   where instalment_id = $1`,
)

const changeAmountStatement = statement(
  'change_instalment_amount',
  [int8, int8, timestamptz],
  {},
  `update instalment set amount_minor = $2, changed_at = $3 where instalment_id = $1`,
)

const repriceStatement = statement(
  'reprice_scheduled_instalments',
  [int8, int8, timestamptz],
  { instalment_id: int8 },
  `update instalment set amount_minor = $2, changed_at = $3 where plan_id = $1 and state = 'scheduled'
   returning instalment_id`,
)

export type Taking = {
  readonly account: AccountId
  readonly instalment: bigint
  readonly attemptsBefore: number
  readonly minor: bigint
  readonly ref: AcquirerRef
  readonly takesFailed: boolean
  // Null: on whatever day it is to be charged.
  readonly attemptOn: Temporal.PlainDate | null
}

// Locks the instalments and takes those that are as they were. Answers the references that got theirs.
export async function lockAndTake(tx: Tx, takings: readonly Taking[]): Promise<ReadonlySet<string>> {
  const rows = await tx.run(takeInstalmentsStatement, [
    takings.map(({ account }) => account),
    takings.map(({ instalment }) => instalment),
    takings.map(({ attemptsBefore }) => attemptsBefore),
    takings.map(({ minor }) => minor),
    takings.map(({ ref }) => ref),
    takings.map(({ takesFailed }) => takesFailed),
    takings.map(({ attemptOn }) => attemptOn),
  ])
  return new Set(rows.map((row) => row.attempt_ref))
}

// The attempts that did not get theirs are recorded as refused all the same, each under a number of its own.
export async function countMissed(tx: Tx, missed: readonly Taking[]): Promise<void> {
  await tx.run(countMissedStatement, [
    missed.map(({ account }) => account),
    missed.map(({ instalment }) => instalment),
    missed.map(({ attemptsBefore }) => attemptsBefore),
  ])
}

export type Taken = ChargedInstalment & {
  // The highest number that the plan has an instalment for.
  readonly written: number
}

export async function readTaken(tx: Tx, instalments: readonly bigint[]): Promise<ReadonlyMap<bigint, Taken>> {
  const rows = await tx.run(readTakenStatement, [instalments])
  return new Map(
    rows.map((row) => [
      row.instalment_id,
      {
        instalmentId: row.instalment_id as InstalmentId,
        planId: row.plan_id as PlanId,
        paymentNumber: row.payment_number,
        dueOn: row.due_on,
        attemptOn: row.attempt_on,
        collectOn: row.collect_on,
        tries: row.tries,
        declines: row.declines,
        declinedOn: row.declined_on,
        hadFailed: row.had_failed,
        brand: row.brand as CardBrand,
        written: row.written,
      },
    ]),
  )
}

// Answers those that were being charged under this reference until now.
export async function moveInstalments(
  tx: Tx,
  moves: readonly InstalmentMove[],
  at: Temporal.Instant,
): Promise<ReadonlySet<bigint>> {
  const rows = await tx.run(moveInstalmentsStatement, [
    moves.map(({ instalmentId }) => instalmentId),
    moves.map(({ ref }) => ref),
    moves.map(({ state }) => state),
    moves.map(({ attemptOn }) => attemptOn),
    moves.map(({ collectOn }) => collectOn),
    moves.map(({ declines }) => declines),
    moves.map(({ declinedOn }) => declinedOn),
    moves.map(({ isFinalFailure }) => isFinalFailure),
    moves.map(({ because }) => because),
    moves.map(({ reachedBank }) => reachedBank),
    at,
  ])
  return new Set(rows.map((row) => row.instalment_id))
}

type PlanEnding = { readonly planId: PlanId; readonly because: string }

// What is being charged is left to its outcome.
export async function cancelScheduled(
  tx: Tx,
  ends: readonly PlanEnding[],
  at: Temporal.Instant,
): Promise<readonly { readonly instalmentId: InstalmentId; readonly planId: PlanId }[]> {
  const rows = await tx.run(cancelScheduledStatement, [
    ends.map(({ planId }) => planId),
    ends.map(({ because }) => because),
    at,
  ])
  return rows.map((row) => ({
    instalmentId: row.instalment_id as InstalmentId,
    planId: row.plan_id as PlanId,
  }))
}

export async function setInstalmentCancelled(
  tx: Tx,
  { instalmentId, because, at }: { instalmentId: InstalmentId; because: string; at: Temporal.Instant },
): Promise<void> {
  await tx.run(cancelInstalmentStatement, [instalmentId, because, at])
}

type Reschedule = Scheduling & {
  readonly instalmentId: InstalmentId
  readonly amount: Money
  readonly because: string
  readonly at: Temporal.Instant
}

export async function reschedule(tx: Tx, change: Reschedule): Promise<void> {
  await tx.run(rescheduleStatement, [
    change.instalmentId,
    change.amount.minor,
    change.dueOn,
    change.attemptOn,
    change.collectOn,
    change.announceOn,
    change.because,
    change.at,
  ])
}

export async function setInstalmentAmount(
  tx: Tx,
  { instalmentId, amount, at }: { instalmentId: InstalmentId; amount: Money; at: Temporal.Instant },
): Promise<void> {
  await tx.run(changeAmountStatement, [instalmentId, amount.minor, at])
}

// All that are still scheduled cost this from now on. Answers how many.
export async function repriceScheduled(
  tx: Tx,
  { plan, amount, at }: { plan: Pick<Plan, 'planId'>; amount: Money; at: Temporal.Instant },
): Promise<number> {
  return (await tx.run(repriceStatement, [plan.planId, amount.minor, at])).length
}
