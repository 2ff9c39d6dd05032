import { printSum } from '#capabilities/reconciliation/print-sum.ts'
import type { AccountId } from '#kernel/ids.ts'
import { statusAfterReturn } from '#kernel/nacha/return-reason.ts'

// The row of a bank debit, or of a credit of one.
export type ReconciledDebit = {
  readonly status: string
  readonly totalMinor: bigint
  readonly creditedMinor: bigint
  readonly accountId: AccountId
  readonly merchantNumber: number
  readonly currency: string
  readonly ref: string
  // null: it is in none. Without a number: in one that does not exist.
  readonly batch: { readonly number: number | null; readonly state: string } | null
}

type Debited = {
  readonly accountId: AccountId
  readonly merchantNumber: number
  readonly currency: string
  readonly ref: string
  readonly approvedMinor: bigint
  readonly after: {
    readonly creditedMinor: bigint
    readonly voids: number
    readonly returnCode: string | null
  }
  readonly debit: ReconciledDebit
}

// What does not agree about one that was recorded.
export function causesOfDebit(line: Debited): readonly string[] {
  const { debit, after, approvedMinor } = line
  const sum = (minor: bigint) => printSum(line, minor)
  const causes: string[] = []
  if (debit.accountId !== line.accountId || debit.merchantNumber !== line.merchantNumber)
    causes.push('its bank debit belongs to another account or merchant record')
  if (debit.currency !== line.currency)
    causes.push(`its bank debit is in ${debit.currency}, not in ${line.currency}`)
  if (debit.ref !== line.ref) causes.push(`its bank debit has the reference ${debit.ref}`)
  if (debit.totalMinor !== approvedMinor)
    causes.push(`its bank debit says ${sum(debit.totalMinor)}, recorded were ${sum(approvedMinor)}`)
  if (debit.creditedMinor !== after.creditedMinor)
    causes.push(
      `its bank debit says ${sum(debit.creditedMinor)} were credited, credits are ${sum(after.creditedMinor)}`,
    )
  if (debit.batch?.number === null) causes.push('it is in a batch that does not exist')
  const expected = statusOf(line)
  if (expected !== debit.status) causes.push(`its bank debit is ${debit.status}, not ${expected}`)
  return causes
}

function statusOf({ after, debit }: Debited): string {
  if (after.voids > 0) return 'void'
  if (after.returnCode !== null) return statusAfterReturn(after.returnCode)
  return debit.batch?.state === 'accepted' ? 'settled' : 'open'
}
