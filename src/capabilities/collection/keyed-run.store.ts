import type { KeyedRun, RunId, ToldInstalment } from '#capabilities/collection/keyed-run.ts'
import type { InstalmentId } from '#capabilities/recurring/instalment.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { attemptId, type AttemptId } from '#engine/payments/attempt.ts'
import { assert } from '#kernel/assert.ts'
import { type AccountId, merchantNumber } from '#kernel/ids.ts'
import { arrayOf, bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const runColumns = {
  run_id: int8,
  account_id: int8,
  merchant_number: nullable(int4),
  state: text,
} as const

const selected = `r.run_id, r.account_id, r.merchant_number, r.state`

const insertRunStatement = statement(
  'insert_keyed_run',
  [int8, nullable(int4), arrayOf(int8), arrayOf(int4), timestamptz, timestamptz],
  { run_id: int8 },
  `insert into keyed_run (account_id, merchant_number, told, places, held_until, created_at)
   values ($1, $2, $3, $4, $5, $6)
   returning run_id`,
)

const holdRunStatement = statement(
  'hold_keyed_run',
  [int8, timestamptz],
  { run_id: int8 },
  `update keyed_run set held_until = $2 where run_id = $1 and state = 'running' returning run_id`,
)

const tellRunStatement = statement(
  'tell_keyed_run',
  [int8, text, arrayOf(int8), arrayOf(int4)],
  {},
  `update keyed_run set state = $2, told = $3, places = $4 where run_id = $1 and state = 'running'`,
)

// Whoever is just recording payments of it is waited for, so that all of them are found afterwards.
const cutShortStatement = statement(
  'lock_and_cut_short_keyed_run',
  [int8, timestamptz],
  runColumns,
  `with lapsed as (
     select run_id from keyed_run where run_id = $1 and state = 'running' and held_until <= $2 for update
   )
   update keyed_run r set state = 'cut_short' from lapsed where r.run_id = lapsed.run_id
   returning ${selected}`,
)

const removeRunStatement = statement(
  'remove_keyed_run',
  [int8, text],
  { run_id: int8 },
  `delete from keyed_run where run_id = $1 and state = $2 returning run_id`,
)

const removePaymentsStatement = statement(
  'remove_keyed_run_payments',
  [int8],
  {},
  `delete from keyed_run_payment where run_id = $1`,
)

const findRunStatement = statement(
  'find_keyed_run',
  [int8, int8],
  runColumns,
  `select ${selected} from keyed_run r where r.account_id = $1 and r.run_id = $2`,
)

// Of runs that go on.
const insertPaymentsStatement = statement(
  'insert_keyed_run_payments',
  [arrayOf(int8), arrayOf(int8), arrayOf(text)],
  { acquirer_ref: text },
  `with running as (
     select r.run_id from (select distinct unnest($1::int8[]) as run_id) i join keyed_run r using (run_id)
     where r.state = 'running' for key share of r
   )
   insert into keyed_run_payment (run_id, instalment_id, acquirer_ref)
   select p.run_id, p.instalment_id, p.ref
   from unnest($1::int8[], $2::int8[], $3::text[]) as p (run_id, instalment_id, ref)
     join running using (run_id)
   returning acquirer_ref`,
)

// Only if nobody else has done so meanwhile.
const retellRunStatement = statement(
  'retell_keyed_run',
  [int8, arrayOf(int8), arrayOf(int4), arrayOf(int8), arrayOf(int4)],
  { run_id: int8 },
  `update keyed_run set told = $4, places = $5 where run_id = $1 and told = $2 and places = $3
   returning run_id`,
)

// First what was told before, in the same order; then what it has charged besides.
const listItemsStatement = statement(
  'list_keyed_run_items',
  [int8],
  { instalment_id: int8, place: int4, is_told: bool, attempt_id: nullable(int8) },
  `select instalment_id, coalesce(t.place, 0) as place, t.at is not null as is_told, p.attempt_id
   from (
     select u.instalment_id, u.place, u.at
     from keyed_run r, unnest(r.told, r.places) with ordinality as u (instalment_id, place, at)
     where r.run_id = $1
   ) t full join (
     select c.instalment_id, a.attempt_id from keyed_run_payment c join attempt a using (acquirer_ref)
     where c.run_id = $1
   ) p using (instalment_id)
   order by t.at nulls last, p.attempt_id`,
)

type NewRun = Pick<KeyedRun, 'accountId' | 'merchantNumber'> & {
  readonly told: readonly ToldInstalment[]
  readonly heldUntil: Temporal.Instant
  readonly at: Temporal.Instant
}

export async function insertRun(tx: Tx, run: NewRun): Promise<RunId> {
  const { accountId, merchantNumber: merchant, told, heldUntil, at } = run
  const [row] = await tx.run(insertRunStatement, [accountId, merchant, ...columnsOf(told), heldUntil, at])
  assert(row, 'what is inserted has an id')
  return row.run_id as RunId
}

// Whether it may go on: nobody has taken it for given up.
export async function holdRun(db: Queryable, run: RunId, until: Temporal.Instant): Promise<boolean> {
  return (await db.run(holdRunStatement, [run, until])).length > 0
}

type Telling = Pick<KeyedRun, 'state'> & { readonly told: readonly ToldInstalment[] }

export async function setTold(db: Queryable, run: RunId, { state, told }: Telling): Promise<void> {
  await db.run(tellRunStatement, [run, state, ...columnsOf(told)])
}

type Retelling = { readonly before: readonly ToldInstalment[]; readonly now: readonly ToldInstalment[] }

// Whether they are kept: somebody else may have told others meanwhile.
export async function replaceTold(db: Queryable, run: RunId, { before, now }: Retelling): Promise<boolean> {
  return (await db.run(retellRunStatement, [run, ...columnsOf(before), ...columnsOf(now)])).length > 0
}

function columnsOf(told: readonly ToldInstalment[]) {
  return [told.map(({ instalmentId }) => instalmentId), told.map(({ place }) => place)] as const
}

// Ends a run that nobody holds any more; null when somebody does. Nothing is charged by it from here on.
export async function lockAndCutShort(
  db: Queryable,
  run: RunId,
  now: Temporal.Instant,
): Promise<KeyedRun | null> {
  const [row] = await db.run(cutShortStatement, [run, now])
  return row ? runFromRow(row) : null
}

// Only as it was found.
export async function removeRun(
  tx: Tx,
  { runId, state }: Pick<KeyedRun, 'runId' | 'state'>,
): Promise<boolean> {
  const [gone] = await tx.run(removeRunStatement, [runId, state])
  // A statement of its own sees what those have written for whom the first one waited.
  if (gone) await tx.run(removePaymentsStatement, [runId])
  return gone !== undefined
}

export async function findRun(
  db: Queryable,
  { account, run }: { readonly account: AccountId; readonly run: bigint },
): Promise<KeyedRun | null> {
  const [row] = await db.run(findRunStatement, [account, run])
  return row ? runFromRow(row) : null
}

export type RunPayment = {
  readonly run: RunId
  readonly instalment: bigint
  readonly ref: AcquirerRef
}

// Answers the references of those whose run goes on, and keeps it from being ended until they are recorded.
export async function lockRunsAndInsert(
  tx: Tx,
  payments: readonly RunPayment[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.run(insertPaymentsStatement, [
    payments.map(({ run }) => run),
    payments.map(({ instalment }) => instalment),
    payments.map(({ ref }) => ref),
  ])
  return new Set(rows.map((row) => row.acquirer_ref))
}

// What a run tells of, in the order in which it does. Null: it has not come to an attempt.
export type RunItem = ToldInstalment & { readonly isTold: boolean; readonly attempt: AttemptId | null }

export async function listRunItems(db: Queryable, run: RunId): Promise<readonly RunItem[]> {
  const rows = await db.run(listItemsStatement, [run])
  return rows.map((row) => ({
    instalmentId: row.instalment_id as InstalmentId,
    place: row.place,
    isTold: row.is_told,
    attempt: row.attempt_id === null ? null : attemptId(row.attempt_id),
  }))
}

function runFromRow(row: RowOf<typeof runColumns>): KeyedRun {
  return {
    runId: row.run_id as RunId,
    accountId: row.account_id as AccountId,
    merchantNumber: row.merchant_number === null ? null : merchantNumber(row.merchant_number),
    state: row.state as KeyedRun['state'],
  }
}
