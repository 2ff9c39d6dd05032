import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import {
  type Attempt,
  attemptId,
  type AttemptKey,
  type AttemptKind,
  type AttemptState,
  type Conditions,
  type CreditedAttempt,
  type PaymentDetails,
  type TimeoutPolicy,
} from '#engine/payments/attempt.ts'
import { type Amounts, amountsOf } from '#engine/fees/amounts.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber } from '#kernel/ids.ts'
import {
  arrayOf,
  bool,
  int4,
  int8,
  jsonb,
  nullable,
  text,
  timestamptz,
} from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const attemptColumns = {
  attempt_id: int8,
  account_id: int8,
  merchant_number: int4,
  kind: text,
  parent_id: nullable(int8),
  total_minor: int8,
  fee_minor: int8,
  currency: text,
  acquirer_ref: text,
  subject_ref: text,
  policy: text,
  accepts_partial: bool,
  avs_needed: text,
  cvv_needed: bool,
  following: jsonb,
  details: jsonb,
  state: text,
  fence: int4,
  approved_minor: int8,
  approved_fee_minor: int8,
  approval_code: text,
  result_code: text,
  avs: text,
  cvv: text,
  network_id: text,
  created_at: timestamptz,
} as const

const selected = `attempt_id, account_id, merchant_number, kind, parent_id, total_minor, fee_minor, currency,
  acquirer_ref, subject_ref, policy, accepts_partial, avs_needed, cvv_needed, following, details, state,
  fence, approved_minor, approved_fee_minor, approval_code, result_code, avs, cvv, network_id, created_at`

const takeAttemptsStatement = statement(
  'take_attempts',
  [arrayOf(int8), timestamptz, timestamptz],
  attemptColumns,
  `update attempt set fence = fence + 1, lease_until = $3
   where attempt_id in (
     select attempt_id from attempt where attempt_id = any($1) and lease_until <= $2
     order by attempt_id for update skip locked
   )
   returning ${selected}`,
)

const releaseAttemptStatement = statement(
  'release_attempt',
  [int8, int4, timestamptz],
  { attempt_id: int8 },
  `update attempt set lease_until = $3 where attempt_id = $1 and fence = $2 returning attempt_id`,
)

const findAttemptStatement = statement(
  'find_attempt',
  [int8, int8],
  attemptColumns,
  `select ${selected} from attempt where account_id = $1 and attempt_id = $2`,
)

const findAttemptsStatement = statement(
  'find_attempts',
  [arrayOf(int8), arrayOf(int8)],
  { ...attemptColumns, credited_minor: int8, credited_fee_minor: int8 },
  `select ${selected}, credited_minor, credited_fee_minor
   from unnest($1::int8[], $2::int8[]) as i (account_id, attempt_id)
   join attempt using (account_id, attempt_id)`,
)

// For the recoverer and for operators, who work for all accounts.
const findAttemptByIdStatement = statement(
  'find_attempt_by_id',
  [int8],
  attemptColumns,
  `select ${selected} from attempt where attempt_id = $1`,
)

const findAttemptByRefStatement = statement(
  'find_attempt_by_ref',
  [int8, text],
  attemptColumns,
  `select ${selected} from attempt where account_id = $1 and acquirer_ref = $2`,
)

const findUnsentReferencesStatement = statement(
  'find_unsent_references',
  [int8, arrayOf(text)],
  { acquirer_ref: text },
  `select acquirer_ref from attempt
   where account_id = $1 and acquirer_ref = any($2) and state in ('refused', 'not_sent')`,
)

// Takes attempts whose holder is gone: the next fence, so that the holder, should it wake, changes nothing.
export async function takeAttempts(
  db: Queryable,
  { ids, now, leaseUntil }: { ids: readonly bigint[]; now: Temporal.Instant; leaseUntil: Temporal.Instant },
): Promise<readonly Attempt[]> {
  return (await db.run(takeAttemptsStatement, [ids, now, leaseUntil])).map(attemptFromRow)
}

// Lets the next one have it before the lease is over. False: somebody has it already.
export async function releaseAttempt(
  db: Queryable,
  { attemptId: id, fence }: Attempt,
  at: Temporal.Instant,
): Promise<boolean> {
  return (await db.run(releaseAttemptStatement, [id, fence, at])).length > 0
}

export async function findAttempt(db: Queryable, { account, attempt }: AttemptKey): Promise<Attempt | null> {
  const [row] = await db.run(findAttemptStatement, [account, attempt])
  return row ? attemptFromRow(row) : null
}

// One read for many, in the order of what was asked.
export async function findAttempts(
  db: Queryable,
  keys: readonly AttemptKey[],
): Promise<readonly (CreditedAttempt | null)[]> {
  const rows = await db.run(findAttemptsStatement, [
    keys.map(({ account }) => account),
    keys.map(({ attempt }) => attempt),
  ])
  const found = new Map(rows.map((row) => [row.attempt_id, row]))
  return keys.map(({ account, attempt }) => {
    const row = found.get(attempt)
    if (row?.account_id !== account) return null
    const credited = amountsFrom(row, row.credited_minor, row.credited_fee_minor)
    return { attempt: attemptFromRow(row), credited }
  })
}

export async function findAttemptById(db: Queryable, id: bigint): Promise<Attempt | null> {
  const [row] = await db.run(findAttemptByIdStatement, [id])
  return row ? attemptFromRow(row) : null
}

export async function findAttemptByRef(
  db: Queryable,
  { account, ref }: { account: AccountId; ref: AcquirerRef },
): Promise<Attempt | null> {
  const [row] = await db.run(findAttemptByRefStatement, [account, ref])
  return row ? attemptFromRow(row) : null
}

// Of those that were recorded under these references, the ones of which nothing was sent, or nothing arrived.
export async function findUnsentRefs(
  db: Queryable,
  { account, refs }: { account: AccountId; refs: readonly AcquirerRef[] },
): Promise<readonly AcquirerRef[]> {
  const rows = await db.run(findUnsentReferencesStatement, [account, refs])
  return rows.map((row) => row.acquirer_ref as AcquirerRef)
}

type AttemptRow = RowOf<typeof attemptColumns>

function amountsFrom(row: Pick<AttemptRow, 'currency'>, total: bigint, fee: bigint): Amounts {
  const currency = row.currency as Currency
  return amountsOf({ minor: total - fee, currency }, { minor: fee, currency })
}

function attemptFromRow(row: AttemptRow): Attempt {
  return {
    attemptId: attemptId(row.attempt_id),
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    kind: row.kind as AttemptKind,
    parentId: row.parent_id === null ? null : attemptId(row.parent_id),
    amounts: amountsFrom(row, row.total_minor, row.fee_minor),
    currency: row.currency as Currency,
    ref: row.acquirer_ref as AcquirerRef,
    subjectRef: row.subject_ref as AcquirerRef,
    policy: row.policy as TimeoutPolicy,
    conditions: {
      acceptsPartial: row.accepts_partial,
      avsNeeded: row.avs_needed as Conditions['avsNeeded'],
      cvvNeeded: row.cvv_needed,
    },
    following: (row.following as readonly (readonly [string, string])[]).map(([follower, subject]) => ({
      follower,
      subject: BigInt(subject),
    })),
    details: row.details as PaymentDetails,
    state: row.state as AttemptState,
    fence: row.fence,
    approved: amountsFrom(row, row.approved_minor, row.approved_fee_minor),
    approvalCode: row.approval_code,
    resultCode: row.result_code,
    avs: row.avs,
    cvv: row.cvv,
    networkId: row.network_id,
    createdAt: row.created_at,
  }
}
