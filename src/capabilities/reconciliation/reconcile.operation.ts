import { type Bounds, findBounds } from '#capabilities/reconciliation/find-bounds.operation.ts'
import { printSum } from '#capabilities/reconciliation/print-sum.ts'
import { listBatchRows, listDebitEntries } from '#capabilities/reconciliation/reconciled-batch.store.ts'
import { breaksOfBatch, type FileEntry } from '#capabilities/reconciliation/reconciled-batch.ts'
import { listLines } from '#capabilities/reconciliation/reconciled-line.store.ts'
import { type Break, breaksOf, type ReconciledLine } from '#capabilities/reconciliation/reconciled.ts'
import {
  deleteReport,
  findNewestAttempt,
  insertReport,
  listGivenBack,
  listOrphans,
  listStrangers,
  type Period,
} from '#capabilities/reconciliation/reconciliation.store.ts'
import type { InquiryAnswer } from '#engine/acquirers/acquirer-answer.ts'
import type { AcquirerRef, DisputeLine, ReportLine } from '#engine/acquirers/acquirer.ts'
import { hasApproval } from '#engine/payments/attempt.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { isDebit } from '#kernel/nacha/nacha-file.ts'
import { readNacha } from '#kernel/nacha/read-nacha.ts'
import { randomHex } from '#platform/crypto/random.ts'

type Needs = Pick<PaymentNeeds, 'db' | 'acquirer' | 'patience' | 'accountClock' | 'clock' | 'log'>

export type Reconciled =
  | { readonly kind: 'line'; readonly line: ReconciledLine; readonly breaks: readonly Break[] }
  | { readonly kind: 'batch' | 'stranger'; readonly breaks: readonly Break[] }

const pageSize = 1_000
const idsAtOnce = 50_000n
const utmostId = 2n ** 63n - 1n
// Our clock and the bank's differ, and an answer may be late: the report is asked for with room to spare.
const room = { hours: 48 }

// Compares the transactions of a period with the ledger, the batches and the bank's own report, one page
// after the other, so that a day of any size streams through.
export async function* reconcile(needs: Needs, period: Period): AsyncIterable<Reconciled> {
  const run = randomHex(128)
  try {
    await loadReport(needs, run, period)
    const bounds = await findBounds(needs.db, period)
    yield* compareLines(needs, { run, period, bounds })
    yield* compareStrangers(needs, run, period)
    yield* findOrphans(needs, bounds)
    yield* compareDisputes(needs, period)
    yield* compareBatches(needs, period)
  } finally {
    await deleteReport(needs.db, run)
  }
}

async function loadReport({ db, acquirer }: Needs, run: string, { from, to }: Period): Promise<void> {
  let lines: ReportLine[] = []
  let after = 0
  for await (const line of acquirer.report(from.subtract(room), to.add(room))) {
    lines.push(line)
    if (lines.length < pageSize) continue
    await insertReport(db, { run, after, lines })
    after += lines.length
    lines = []
  }
  if (lines.length > 0) await insertReport(db, { run, after, lines })
}

type Comparing = { readonly run: string; readonly period: Period; readonly bounds: Bounds }

async function* compareLines(needs: Needs, { run, period, bounds }: Comparing): AsyncIterable<Reconciled> {
  const { first, end } = bounds
  let after: bigint | null = first - 1n
  while (after !== null) {
    const page: readonly ReconciledLine[] = await listLines(needs.db, {
      ...period,
      run,
      most: pageSize,
      after,
      end,
    })
    for (const line of page) {
      const known = line.bank ? line : await withInquiry(needs, line)
      const now = needs.accountClock.now(known.accountId)
      yield { kind: 'line', line: known, breaks: breaksOf(known, now) }
    }
    after = page.at(-1)?.transaction ?? null
  }
}

// What the report leaves out may lie outside its days, so the bank is asked before anybody is alarmed.
async function withInquiry(needs: Needs, line: ReconciledLine): Promise<ReconciledLine> {
  const isHeld = hasApproval(line.state)
  if (!isHeld || (line.kind !== 'sale' && line.kind !== 'credit')) return line
  const answer = await ask(needs, line.ref)
  const told = { settledIn: null, times: 1 }
  switch (answer.kind) {
    case 'approved':
      return { ...line, bank: { ...told, approvedMinor: answer.amount.minor, isReversed: false } }
    case 'reversed':
      return { ...line, bank: { ...told, approvedMinor: 0n, isReversed: true } }
    case 'declined':
    case 'not_found':
      return line
    default:
      return { ...line, bank: 'silent' }
  }
}

async function* compareStrangers({ db }: Needs, run: string, period: Period): AsyncIterable<Reconciled> {
  let after = ''
  for (;;) {
    const page = await listStrangers(db, { ...period, run, most: pageSize, after })
    for (const { ref, kind, minor, currency } of page) {
      const cause = `the bank holds ${printSum({ currency }, minor)}, and we do not know it`
      yield { kind: 'stranger', breaks: [{ subject: `${kind} at the bank`, ref, cause }] }
    }
    const last = page.at(-1)
    if (!last) return
    after = last.ref
  }
}

// Also above the newest attempt, where nothing has any right to be.
async function* findOrphans({ db }: Needs, { first, end }: Bounds): AsyncIterable<Reconciled> {
  const newest = await findNewestAttempt(db)
  for (let from = first; from < end; from += idsAtOnce) {
    const to = from + idsAtOnce
    yield* orphansIn(db, { first: from, end: to < end ? to : end })
  }
  yield* orphansIn(db, { first: end > newest ? end : newest + 1n, end: utmostId })
}

async function* orphansIn(db: Needs['db'], span: Bounds): AsyncIterable<Reconciled> {
  for (const { id, minor, currency } of await listOrphans(db, span)) {
    const cause = `there is a posting of ${printSum({ currency }, minor)}, and no such transaction`
    yield { kind: 'stranger', breaks: [{ subject: `transaction ${id}`, ref: '', cause }] }
  }
}

// A dispute of something that was given back before is not recorded with us, so it is looked for at the bank.
async function* compareDisputes(needs: Needs, period: Period): AsyncIterable<Reconciled> {
  const { acquirer, clock } = needs
  let lines: DisputeLine[] = []
  for await (const line of acquirer.disputes(period.from.subtract(room), clock.now())) {
    lines.push(line)
    if (lines.length < pageSize) continue
    yield* chargedBackIn(needs, period, lines)
    lines = []
  }
  yield* chargedBackIn(needs, period, lines)
}

async function* chargedBackIn(
  { db }: Needs,
  period: Period,
  lines: readonly DisputeLine[],
): AsyncIterable<Reconciled> {
  const given = await listGivenBack(db, { ...period, refs: lines.map(({ ref }) => ref) })
  for (const { ref, amount } of lines) {
    const sale = given.get(ref)
    if (!sale) continue
    const { id, isVoid } = sale
    const sum = printSum({ currency: amount.currency }, amount.minor)
    const cause = `the bank has charged ${sum} back, and it is ${isVoid ? 'voided' : 'credited in full'}`
    yield { kind: 'stranger', breaks: [{ subject: `transaction ${id}`, ref, cause }] }
  }
}

async function* compareBatches(needs: Needs, period: Period): AsyncIterable<Reconciled> {
  let after = 0n
  for (;;) {
    const now = needs.clock.now()
    const page = await listBatchRows(needs.db, { ...period, most: pageSize, after, now })
    for (const row of page) {
      const bankNetMinor = row.header.cardCount > 0 ? await netAtBank(needs, row.ref) : null
      const debitEntries = row.debits.count > 0 ? await listDebitEntries(needs.db, row.batch) : []
      const fileEntries = row.file === null ? null : entriesOf(row.file)
      yield { kind: 'batch', breaks: breaksOfBatch({ ...row, bankNetMinor, debitEntries, fileEntries }) }
    }
    const last = page.at(-1)
    if (!last) return
    after = last.batch
  }
}

function entriesOf(file: string): readonly FileEntry[] | null {
  const read = readNacha(file)
  if (!read.ok) return null
  return read.value
    .flatMap(({ entries }) => entries)
    .map(({ individualId: transaction, trace, amountMinor: minor, transactionCode }) => {
      return { transaction, trace, minor, isDebit: isDebit(transactionCode) }
    })
}

async function netAtBank(needs: Needs, ref: AcquirerRef): Promise<bigint | 'silent' | null> {
  const answer = await ask(needs, ref)
  if (answer.kind === 'approved') return answer.amount.minor
  return answer.kind === 'declined' || answer.kind === 'not_found' ? null : 'silent'
}

// Whatever a connector throws is silence.
async function ask({ acquirer, patience, log }: Needs, ref: AcquirerRef): Promise<InquiryAnswer> {
  try {
    return await acquirer.inquire(ref, AbortSignal.timeout(patience.inquiryMs))
  } catch (error) {
    log.error({ err: error, ref }, 'A connector failed; the bank could not be asked')
    return { kind: 'unknown', because: 'link_down' }
  }
}
