import {
  type Break,
  breaksOf,
  breaksOfBatch,
  type ReconciledLine,
} from '#capabilities/reconciliation/reconciled.ts'
import {
  deleteReport,
  findFirstAttempt,
  insertReport,
  listBatchLines,
  listLines,
  listStrangers,
  type Period,
} from '#capabilities/reconciliation/reconciliation.store.ts'
import type { AcquirerRef, ReportLine } from '#engine/acquirers/acquirer.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { randomHex } from '#platform/crypto/random.ts'

type Needs = Pick<PaymentNeeds, 'db' | 'acquirer' | 'patience' | 'accountClock'>

export type Reconciled =
  | { readonly kind: 'line'; readonly line: ReconciledLine; readonly breaks: readonly Break[] }
  | { readonly kind: 'batch' | 'stranger'; readonly breaks: readonly Break[] }

const pageSize = 1_000
// Our clock and the bank's differ, and an answer may be late: the report is asked for with room to spare.
const room = { hours: 48 }

// Compares the transactions of a period with the ledger, the batches and the bank's own report, one page
// after the other, so that a day of any size streams through.
export async function* reconcile(needs: Needs, period: Period): AsyncIterable<Reconciled> {
  const run = randomHex(128)
  try {
    await loadReport(needs, run, period)
    yield* compareLines(needs, run, period)
    yield* compareStrangers(needs, run, period)
    yield* compareBatches(needs, period)
  } finally {
    await deleteReport(needs.db, run)
  }
}

async function loadReport({ db, acquirer }: Needs, run: string, { from, to }: Period): Promise<void> {
  let page: ReportLine[] = []
  for await (const line of acquirer.report(from.subtract(room), to.add(room))) {
    page.push(line)
    if (page.length < pageSize) continue
    await insertReport(db, run, page)
    page = []
  }
  if (page.length > 0) await insertReport(db, run, page)
}

async function* compareLines(needs: Needs, run: string, period: Period): AsyncIterable<Reconciled> {
  const first = await findFirstAttempt(needs.db, period.from)
  let after = first === null ? null : first - 1n
  while (after !== null) {
    const page: readonly ReconciledLine[] = await listLines(needs.db, {
      ...period,
      run,
      most: pageSize,
      after,
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
  const isHeld = line.state === 'approved' || line.state === 'partial'
  if (!isHeld || (line.kind !== 'sale' && line.kind !== 'credit')) return line
  const answer = await ask(needs, line.ref)
  if (answer.kind === 'approved')
    return { ...line, bank: { approvedMinor: answer.amount.minor, isReversed: false, settledIn: null } }
  return answer.kind === 'reversed'
    ? { ...line, bank: { approvedMinor: 0n, isReversed: true, settledIn: null } }
    : line
}

async function* compareStrangers({ db }: Needs, run: string, period: Period): AsyncIterable<Reconciled> {
  let after = ''
  for (;;) {
    const page = await listStrangers(db, { ...period, run, most: pageSize, after })
    for (const { ref, kind, minor, currency } of page) {
      const cause = `the bank holds ${minor} (in the smallest unit of ${currency}), and we do not know it`
      yield { kind: 'stranger', breaks: [{ subject: `${kind} at the bank`, ref, cause }] }
    }
    const last = page.at(-1)
    if (!last) return
    after = last.ref
  }
}

async function* compareBatches(needs: Needs, period: Period): AsyncIterable<Reconciled> {
  let after = 0n
  for (;;) {
    const page = await listBatchLines(needs.db, { ...period, most: pageSize, after })
    for (const line of page) {
      const answer = line.cardCount > 0 ? await ask(needs, line.ref) : null
      const bankNetMinor = answer?.kind === 'approved' ? answer.amount.minor : null
      yield { kind: 'batch', breaks: breaksOfBatch({ ...line, bankNetMinor }) }
    }
    const last = page.at(-1)
    if (!last) return
    after = last.batch
  }
}

function ask({ acquirer, patience }: Needs, ref: AcquirerRef) {
  return acquirer.inquire(ref, AbortSignal.timeout(patience.inquiryMs))
}
