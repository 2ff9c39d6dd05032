import { amountsOf } from '#engine/fees/amounts.ts'
import { type Attempt, attemptId, type NewAttempt } from '#engine/payments/attempt.ts'
import { assert } from '#kernel/assert.ts'
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
import { columnsOf } from '#platform/postgres/columns.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertAttemptsStatement = statement(
  'insert_attempts',
  [
    arrayOf(int8),
    arrayOf(int4),
    arrayOf(text),
    arrayOf(nullable(int8)),
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(bool),
    arrayOf(text),
    arrayOf(bool),
    arrayOf(timestamptz),
    jsonb,
    jsonb,
    timestamptz,
  ],
  { attempt_id: int8, acquirer_ref: text },
  `insert into attempt (account_id, merchant_number, kind, parent_id, total_minor, fee_minor, currency,
     acquirer_ref, subject_ref, policy, accepts_partial, avs_needed, cvv_needed, created_at, following,
     details, lease_until, state, fence)
   select unnest($1::int8[]), unnest($2::int4[]), unnest($3::text[]), unnest($4::int8[]), unnest($5::int8[]),
     unnest($6::int8[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]), unnest($10::text[]),
     unnest($11::bool[]), unnest($12::text[]), unnest($13::bool[]), unnest($14::timestamptz[]),
     jsonb_array_elements($15), jsonb_array_elements($16), $17, 'sending', 1
   returning attempt_id, acquirer_ref`,
)

const columnsOfNew = columnsOf<NewAttempt>()(
  (one) => one.accountId,
  (one) => one.merchantNumber,
  ({ kind }) => kind,
  ({ parentId }) => parentId,
  ({ amounts }) => amounts.total.minor,
  ({ amounts }) => amounts.fee.minor,
  ({ amounts }) => amounts.total.currency,
  ({ ref }) => ref,
  ({ subjectRef }) => subjectRef,
  ({ policy }) => policy,
  ({ conditions }) => conditions.acceptsPartial,
  ({ conditions }) => conditions.avsNeeded,
  ({ conditions }) => conditions.cvvNeeded,
  ({ createdAt }) => createdAt,
  ({ following }) => following.map(storedFollowing),
  ({ details }) => details,
)

function storedFollowing({ follower, subject }: Attempt['following'][number]): readonly [string, string] {
  return [follower, subject.toString()]
}

// Answers them in the order in which they were given.
export async function insertAttempts(
  tx: Tx,
  news: readonly NewAttempt[],
  leaseUntil: Temporal.Instant,
): Promise<readonly Attempt[]> {
  const rows = await tx.run(insertAttemptsStatement, [...columnsOfNew(news), leaseUntil])
  const recorded: Attempt[] = []
  for (const [at, one] of news.entries()) {
    // They come back in the order in which they went, although nobody promises it.
    const isNext = rows[at]?.acquirer_ref === one.ref
    const row = isNext ? rows[at] : rows.find(({ acquirer_ref: ref }) => ref === one.ref)
    recorded.push(recordedAttempt(one, row?.attempt_id))
  }
  return recorded
}

function withoutDetail({ follower, subject }: Attempt['following'][number]): Attempt['following'][number] {
  return { follower, subject }
}

// As its row says; what was just written is not read back.
function recordedAttempt(attempt: NewAttempt, id: bigint | undefined): Attempt {
  assert(id !== undefined, 'what is inserted comes back')
  const { following, amounts } = attempt
  const { currency } = amounts.total
  const nothing = { minor: 0n, currency }
  return {
    attemptId: attemptId(id),
    accountId: attempt.accountId,
    merchantNumber: attempt.merchantNumber,
    kind: attempt.kind,
    parentId: attempt.parentId,
    amounts: amountsOf(amounts.base, amounts.fee),
    currency,
    ref: attempt.ref,
    subjectRef: attempt.subjectRef,
    policy: attempt.policy,
    conditions: attempt.conditions,
    following: following.map(withoutDetail),
    details: attempt.details,
    state: 'sending',
    fence: 1,
    approved: amountsOf(nothing, nothing),
    approvalCode: '',
    resultCode: '',
    avs: '',
    cvv: '',
    networkId: '',
    createdAt: attempt.createdAt,
  }
}
