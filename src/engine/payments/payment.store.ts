import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Attempt, AttemptState } from '#engine/payments/attempt.ts'
import { arrayOf, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// From the attempt's own row, which has just been moved: nothing is sent twice.
const insertPaymentsStatement = statement(
  'insert_payments',
  [arrayOf(int8), arrayOf(text), timestamptz],
  {},
  `insert into payment (payment_id, account_id, merchant_number, kind, parent_id, status, total_minor,
     fee_minor, currency, acquirer_ref, approval_code, result_code, avs, cvv, is_partial, details, created_at,
     changed_at)
   select a.attempt_id, a.account_id, a.merchant_number, a.kind, a.parent_id, i.status,
     case i.status when 'failed' then a.total_minor else a.approved_minor end,
     case i.status when 'failed' then a.fee_minor else a.approved_fee_minor end,
     a.currency, a.acquirer_ref, a.approval_code, a.result_code, a.avs, a.cvv, a.state = 'partial', a.details,
     a.created_at, $3
   from unnest($1::int8[], $2::text[]) as i (attempt_id, status)
   join attempt a on a.attempt_id = i.attempt_id`,
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
  await tx.run(insertPaymentsStatement, [
    attempts.map((one) => one.attemptId),
    attempts.map(({ state }) => (isCharged(state) ? 'open' : 'failed')),
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
