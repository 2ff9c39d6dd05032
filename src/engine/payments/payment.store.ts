import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Amounts } from '#engine/fees/amounts.ts'
import { arrayOf, bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// A sale is voided before it is in any batch, and credited while it is in none or in an accepted one. What
// the payer's bank has taken back is not given back as well, unless the dispute was won.
const takeSalesStatement = statement(
  'take_sales',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), arrayOf(int8), arrayOf(int8)],
  { acquirer_ref: text },
  `update payment p set taken_by = i.ref
   from unnest($1::int8[], $2::int8[], $3::text[], $4::int8[], $5::int8[])
     as i (account_id, payment_id, ref, credited, credit)
   where p.payment_id = i.payment_id and p.account_id = i.account_id and p.kind = 'sale' and p.status = 'open'
     and p.taken_by is null and p.credited_minor = i.credited and p.credited_minor + i.credit <= p.total_minor
     and not exists (
       select 1 from batch_item b join batch t using (batch_id)
       where b.payment_id = p.payment_id and (i.credit = 0 or t.state <> 'accepted')
     )
     and not exists (select 1 from dispute d where d.payment_id = p.payment_id and d.state <> 'won')
   returning p.taken_by as acquirer_ref`,
)

// Before it is looked whether they can be taken, because a dispute that is being opened shows only after its
// commit.
const lockSalesStatement = statement(
  'lock_sales',
  [arrayOf(int8), arrayOf(int8)],
  { payment_id: int8 },
  `select p.payment_id
   from payment p join unnest($1::int8[], $2::int8[]) as i (account_id, payment_id)
     on p.payment_id = i.payment_id and p.account_id = i.account_id
   where p.kind = 'sale' order by p.payment_id for no key update of p`,
)

// Closing a day holds the record alone for a moment; whoever comes meanwhile is told so and does not wait.
const shareRecordsStatement = statement(
  'share_settlement_of_records',
  [arrayOf(int8), arrayOf(int4)],
  { account_id: int8, merchant_number: int4, is_shared: bool },
  `select i.account_id, i.merchant_number, pg_try_advisory_xact_lock_shared(
     hashtextextended('settlement ' || i.account_id || ' ' || i.merchant_number, 0)) as is_shared
   from (select distinct * from unnest($1::int8[], $2::int4[])) as i (account_id, merchant_number)`,
)

const readSalesStatement = statement(
  'read_sales',
  [arrayOf(int8)],
  {
    payment_id: int8,
    account_id: int8,
    status: text,
    is_taken: bool,
    total_minor: int8,
    credited_minor: int8,
    batch_number: nullable(int4),
    is_settled: bool,
    is_disputed: bool,
  },
  `select p.payment_id, p.account_id, p.status, p.taken_by is not null as is_taken,
     p.total_minor, p.credited_minor, t.batch_number, coalesce(t.state = 'accepted', false) as is_settled,
     exists (select 1 from dispute d where d.payment_id = p.payment_id and d.state <> 'won') as is_disputed
   from payment p left join batch_item b using (payment_id) left join batch t using (batch_id)
   where p.payment_id = any($1) and p.kind = 'sale'`,
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

const creditSalesStatement = statement(
  'credit_sales',
  [arrayOf(int8), arrayOf(text), arrayOf(int8), arrayOf(int8), timestamptz],
  {},
  `update payment p
   set credited_minor = p.credited_minor + i.total, credited_fee_minor = p.credited_fee_minor + i.fee,
     taken_by = null, changed_at = $5
   from unnest($1::int8[], $2::text[], $3::int8[], $4::int8[]) as i (payment_id, ref, total, fee)
   where p.payment_id = i.payment_id and p.taken_by = i.ref`,
)

export type SaleTaking = {
  readonly account: bigint
  readonly merchant: number
  readonly sale: bigint
  readonly ref: AcquirerRef
  // What the sale has been credited so far, and the credit to come; both 0 for a void.
  readonly creditedMinor: bigint
  readonly creditMinor: bigint
}
type Taken = Pick<SaleTaking, 'sale' | 'ref'>

export async function lockSales(tx: Tx, takings: readonly SaleTaking[]): Promise<void> {
  await tx.run(lockSalesStatement, [takings.map(({ account }) => account), takings.map(({ sale }) => sale)])
}

// Takes sales for voids and credits: only open ones that nobody has taken. Answers the references that got
// their sale.
export async function takeSales(tx: Tx, takings: readonly SaleTaking[]): Promise<ReadonlySet<string>> {
  const rows = await tx.run(takeSalesStatement, [
    takings.map(({ account }) => account),
    takings.map(({ sale }) => sale),
    takings.map(({ ref }) => ref),
    takings.map(({ creditedMinor }) => creditedMinor),
    takings.map(({ creditMinor }) => creditMinor),
  ])
  return new Set(rows.map((row) => row.acquirer_ref))
}

// Answers the takings whose merchant record is not being closed; none of theirs begins to close before this
// transaction ends.
export async function shareLockRecords(
  tx: Tx,
  takings: readonly SaleTaking[],
): Promise<readonly SaleTaking[]> {
  const rows = await tx.run(shareRecordsStatement, [
    takings.map(({ account }) => account),
    takings.map(({ merchant }) => merchant),
  ])
  const shared = rows.filter((row) => row.is_shared)
  return takings.filter(({ account, merchant }) =>
    shared.some((row) => row.account_id === account && row.merchant_number === merchant),
  )
}

export type SaleStanding = {
  readonly sale: bigint
  readonly account: bigint
  readonly isVoid: boolean
  readonly isTaken: boolean
  readonly totalMinor: bigint
  readonly creditedMinor: bigint
  // The batch it is in, accepted or not.
  readonly batchNumber: number | null
  readonly isSettled: boolean
  // Taken back by the payer's bank, and not won.
  readonly isDisputed: boolean
}

export async function readSales(
  db: Queryable,
  sales: readonly bigint[],
): Promise<ReadonlyMap<bigint, SaleStanding>> {
  const rows = await db.run(readSalesStatement, [sales])
  return new Map(
    rows.map((row) => [
      row.payment_id,
      {
        sale: row.payment_id,
        account: row.account_id,
        isVoid: row.status === 'void',
        isTaken: row.is_taken,
        totalMinor: row.total_minor,
        creditedMinor: row.credited_minor,
        batchNumber: row.batch_number,
        isSettled: row.is_settled,
        isDisputed: row.is_disputed,
      },
    ]),
  )
}

export async function releaseSales(tx: Tx, takings: readonly Taken[]): Promise<void> {
  await tx.run(releaseSalesStatement, [takings.map(({ sale }) => sale), takings.map(({ ref }) => ref)])
}

export async function voidSales(tx: Tx, takings: readonly Taken[], at: Temporal.Instant): Promise<void> {
  await tx.run(voidSalesStatement, [takings.map(({ sale }) => sale), takings.map(({ ref }) => ref), at])
}

export async function creditSales(
  tx: Tx,
  credits: readonly (Taken & { readonly credit: Amounts })[],
  at: Temporal.Instant,
): Promise<void> {
  await tx.run(creditSalesStatement, [
    credits.map(({ sale }) => sale),
    credits.map(({ ref }) => ref),
    credits.map(({ credit }) => credit.total.minor),
    credits.map(({ credit }) => credit.fee.minor),
    at,
  ])
}
