import { csvLine } from '#capabilities/reconciliation/csv.ts'
import type { Break, ReconciledLine } from '#capabilities/reconciliation/reconciled.ts'
import { printMoment } from '#kernel/calendar.ts'
import { currencyCode } from '#kernel/currency.ts'
import { printMoney } from '#kernel/money.ts'

const columns =
  'transaction created account merchant kind state status reference clientRef currency total fee ' +
  'ledgerTotal ledgerFee batch batchState bank differences'

export const csvHead = csvLine(columns.split(' '))

export function csvRow(line: ReconciledLine, breaks: readonly Break[]): string {
  return csvLine(cellsOf(line, breaks))
}

// A difference that belongs to no transaction of ours: of a batch, or of something that only the bank knows.
export function csvBreakRow({ subject, ref, cause }: Break): string {
  const cells: Readonly<Record<string, string>> = { kind: subject, reference: ref, differences: cause }
  return csvLine(columns.split(' ').map((column) => cells[column] ?? ''))
}

function cellsOf(line: ReconciledLine, breaks: readonly Break[]): readonly string[] {
  const currency = currencyCode(line.currency)
  const money = (minor: bigint) => (currency ? printMoney({ minor, currency }) : String(minor))
  const { bank, batch, payment } = line
  const held =
    bank === null || bank === 'silent' ? '' : bank.isReversed ? 'reversed' : money(bank.approvedMinor)
  return [
    String(line.transaction),
    printMoment(line.createdAt),
    line.accountCode,
    String(line.merchantNumber),
    line.kind,
    line.state,
    payment?.status ?? '',
    line.ref,
    line.clientRef,
    line.currency,
    money(line.approvedMinor),
    money(line.approvedFeeMinor),
    money(line.postedMinor),
    money(line.postedFeeMinor),
    batch ? String(batch.number) : '',
    batch?.state ?? '',
    held,
    breaks.map(({ cause }) => cause).join('; '),
  ]
}
