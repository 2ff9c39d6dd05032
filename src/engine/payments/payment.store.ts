import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Attempt, AttemptState } from '#engine/payments/attempt.ts'
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
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertPaymentsStatement = statement(
  'insert_payments',
  [
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(int4),
    arrayOf(text),
    arrayOf(nullable(int8)),
    arrayOf(text),
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(bool),
    arrayOf(jsonb),
    arrayOf(timestamptz),
    timestamptz,
  ],
  {},
  `insert into payment (payment_id, account_id, merchant_number, kind, parent_id, status, total_minor,
     fee_minor, currency, acquirer_ref, approval_code, result_code, avs, cvv, is_partial, details, created_at,
     changed_at)
   select i.*, $18
   from unnest($1::int8[], $2::int8[], $3::int4[], $4::text[], $5::int8[], $6::text[], $7::int8[], $8::int8[],
     $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bool[], $16::jsonb[],
     $17::timestamptz[]) as i`,
)

const takeSalesStatement = statement(
  'take_sales',
  [arrayOf(int8), arrayOf(int8), arrayOf(text)],
  { acquirer_ref: text },
  `update payment p set taken_by = i.ref
   from unnest($1::int8[], $2::int8[], $3::text[]) as i (account_id, payment_id, ref)
   where p.payment_id = i.payment_id and p.account_id = i.account_id and p.kind = 'sale' and p.status = 'open'
     and p.taken_by is null
   returning p.taken_by as acquirer_ref`,
)

const releaseSalesStatement = statement(
  'release_sales',
  [arrayOf(int8), arrayOf(text)],
  {},
  `update payment p set taken_by = null
   from unnest($1::int8[], $2::text[]) as i (payment_id, ref)
   where p.payment_id = i.payment_id and p.taken_by = i.ref`,
)

const voidSalesStatement = statement(
  'void_sales',
  [arrayOf(int8), arrayOf(text), timestamptz],
  {},
  `update payment p set status = 'void', changed_at = $3
   from unnest($1::int8[], $2::text[]) as i (payment_id, ref)
   where p.payment_id = i.payment_id and p.taken_by = i.ref`,
)

// Sales and credits whose outcome is known, declines included: people look for those too. An approval that
// was taken back because it broke a condition was told as a decline, and its code says which.
export function isRecorded({ kind, state, resultCode }: Attempt): boolean {
  const isDeclined = state === 'declined' || (state === 'reversed' && resultCode !== '')
  return (kind === 'sale' || kind === 'credit') && (isDeclined || isCharged(state))
}

function isCharged(state: AttemptState): boolean {
  return state === 'approved' || state === 'partial'
}

export async function insertPayments(
  tx: Tx,
  attempts: readonly Attempt[],
  at: Temporal.Instant,
): Promise<void> {
  const shown = attempts.map((one) => (isCharged(one.state) ? one.approved : one.amounts))
  await tx.run(insertPaymentsStatement, [
    attempts.map((one) => one.attemptId),
    attempts.map((one) => one.accountId),
    attempts.map((one) => one.merchantNumber),
    attempts.map(({ kind }) => kind),
    attempts.map(({ parentId }) => parentId),
    attempts.map(({ state }) => (isCharged(state) ? 'open' : 'failed')),
    shown.map(({ total }) => total.minor),
    shown.map(({ fee }) => fee.minor),
    attempts.map(({ currency }) => currency),
    attempts.map(({ ref }) => ref),
    attempts.map(({ approvalCode }) => approvalCode),
    attempts.map(({ resultCode }) => resultCode),
    attempts.map(({ avs }) => avs),
    attempts.map(({ cvv }) => cvv),
    attempts.map(({ state }) => state === 'partial'),
    attempts.map(({ details }) => details),
    attempts.map(({ createdAt }) => createdAt),
    at,
  ])
}

export type SaleTaking = { readonly account: bigint; readonly sale: bigint; readonly ref: AcquirerRef }

// Takes sales for voids: only open ones that nobody has taken. Answers the voids that got their sale.
export async function takeSales(tx: Tx, takings: readonly SaleTaking[]): Promise<ReadonlySet<string>> {
  const rows = await tx.run(takeSalesStatement, [
    takings.map(({ account }) => account),
    takings.map(({ sale }) => sale),
    takings.map(({ ref }) => ref),
  ])
  return new Set(rows.map((row) => row.acquirer_ref))
}

export async function releaseSales(tx: Tx, takings: readonly Omit<SaleTaking, 'account'>[]): Promise<void> {
  await tx.run(releaseSalesStatement, [takings.map(({ sale }) => sale), takings.map(({ ref }) => ref)])
}

export async function voidSales(
  tx: Tx,
  takings: readonly Omit<SaleTaking, 'account'>[],
  at: Temporal.Instant,
): Promise<void> {
  await tx.run(voidSalesStatement, [takings.map(({ sale }) => sale), takings.map(({ ref }) => ref), at])
}
