import { Complaint } from '#apps/complaint.ts'
import type { Command, Invocation, Options } from '#apps/cli/command.ts'
import { listNewest } from '#apps/cli/list-newest.ts'
import { beginOf, endOf, refuseBackwards, spanExplanation } from '#apps/cli/span.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import { findAnyAttempt } from '#engine/payments/find-attempt.operation.ts'
import { printMoment } from '#kernel/calendar.ts'
import { currencyCode } from '#kernel/currency.ts'
import { printWithCurrency } from '#kernel/money.ts'
import { bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import type { RowOf, Statement } from '#platform/postgres/statement.ts'
import { schemaExists, searchRows } from '../../../simulator/bank-schema.ts'

export const bankCommands: Readonly<Record<string, Command>> = {
  log: {
    usage: 'tillgate bank log [--ref REFERENCE | --transaction ID] [--from WHEN] [--to WHEN] [--last 20]',
    summary: 'Show what the simulated bank saw, newest first',
    explanation: spanExplanation,
    subject: null,
    texts: { ref: 100, transaction: 15, from: 40, to: 40, last: 6 },
    flags: [],
    run: showLog,
  },
}

// The schema belongs to the simulated bank and so does the SQL; no migration knows it, so it may not exist.
const findSchema = {
  name: 'bank_log_exists',
  params: [],
  columns: { found: bool },
  text: schemaExists,
} as const

const readLog = {
  name: 'bank_log_read',
  params: [text, timestamptz, timestamptz, int4],
  columns: {
    sequence: int8,
    at: timestamptz,
    verb: text,
    ref: text,
    original: text,
    terminal_id: text,
    first_six: nullable(text),
    last_four: nullable(text),
    amount_minor: int8,
    currency: text,
    outcome: text,
    code: text,
    approved_minor: int8,
    approval_code: text,
    avs: text,
    cvv: text,
    advice: text,
    reason: text,
    is_repeat: bool,
  },
  text: searchRows,
} as const satisfies Statement

const longAgo = Temporal.Instant.from('0001-01-01T00:00Z')
const farAhead = Temporal.Instant.from('9999-12-31T00:00Z')

async function showLog({ context: { db }, options }: Invocation) {
  const [schema] = await db.run(findSchema, [])
  if (!schema?.found) return { rows: [], note: 'The simulated bank has seen nothing yet.' }
  const { from, until } = spanOf(options)
  const ref = await referenceOf(db, options)
  const report = await listNewest(options, {
    lastMax: 999_999,
    find: (most) => db.run(readLog, [ref, from, until, most]),
    rowOf: printRow,
  })
  return report.rows.length === 0 ? { rows: [], note: 'The simulated bank saw nothing of the kind.' } : report
}

function spanOf(options: Options) {
  const [from, to] = [options.text('from'), options.text('to')]
  if (from !== undefined && to !== undefined) refuseBackwards(from, to)
  return {
    from: from === undefined ? longAgo : beginOf(from),
    until: to === undefined ? farAhead : endOf(to),
  }
}

// Empty: of everything.
async function referenceOf(db: Queryable, options: Options): Promise<string> {
  const [ref, transaction] = [options.text('ref'), options.text('transaction')]
  if (transaction === undefined) return ref ?? ''
  if (ref !== undefined) throw new Complaint('--ref and --transaction are not given together.')
  if (!/^[1-9]\d{0,14}$/.test(transaction)) throw new Complaint(`${transaction} is no transaction id.`)
  const attempt = await findAnyAttempt({ db }, attemptId(BigInt(transaction)))
  if (!attempt) throw new Complaint(`There is no transaction ${transaction}.`)
  // The bank knows a void by the reference of its sale alone.
  return attempt.subjectRef
}

function printRow(row: RowOf<typeof readLog.columns>) {
  return {
    sequence: Number(row.sequence),
    at: printMoment(row.at),
    verb: row.verb,
    ref: row.ref,
    original: row.original,
    card: row.first_six === null ? '' : `${row.first_six}...${row.last_four ?? ''}`,
    amount: printAmount(row.amount_minor, row.currency),
    outcome: row.outcome,
    code: row.code,
    approved: row.outcome === 'approved' ? printAmount(row.approved_minor, row.currency) : '',
    approvalCode: row.approval_code,
    avs: row.avs,
    cvv: row.cvv,
    advice: row.advice,
    repeat: row.is_repeat,
    reason: row.reason,
  }
}

function printAmount(minor: bigint, code: string): string {
  const currency = currencyCode(code)
  return currency ? printWithCurrency({ minor, currency }) : ''
}
