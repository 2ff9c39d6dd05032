import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { earningKinds } from '#engine/payments/attempt.ts'
import { currencyCode } from '#kernel/currency.ts'
import type { AccountId } from '#kernel/ids.ts'
import { printMoney } from '#kernel/money.ts'

// One attempt as four memories tell it: itself, its payment, the ledger, and the bank's report.
export type ReconciledLine = {
  readonly transaction: bigint
  readonly accountId: AccountId
  readonly accountCode: string
  readonly merchantNumber: number
  readonly kind: string
  readonly state: string
  readonly ref: AcquirerRef
  readonly clientRef: string
  readonly currency: string
  readonly approvedMinor: bigint
  readonly approvedFeeMinor: bigint
  readonly payment: { readonly status: string; readonly totalMinor: bigint; readonly feeMinor: bigint } | null
  readonly postedMinor: bigint
  readonly postedFeeMinor: bigint
  readonly batch: { readonly number: number; readonly state: string; readonly ref: string } | null
  readonly bank: {
    readonly approvedMinor: bigint
    readonly isReversed: boolean
    // Our reference of the batch it is settled in there; empty for none, null when that is not known.
    readonly settledIn: string | null
  } | null
  readonly createdAt: Temporal.Instant
}

// A disagreement with its cause, for people.
export type Break = { readonly subject: string; readonly ref: string; readonly cause: string }

const earning: ReadonlySet<string> = new Set(earningKinds)
const charged: ReadonlySet<string> = new Set(['approved', 'partial'])
const closed: ReadonlySet<string> = new Set(['declined', 'not_sent', 'refused', 'reversed'])

// By then every record has closed its day, whether by itself or by hand.
const unsettledDaysMax = 7

// What does not agree about one attempt, pure. `now` is what the clock of its account shows.
export function breaksOf(line: ReconciledLine, now: Temporal.Instant): readonly Break[] {
  const causes = [...openCauses(line), ...paymentCauses(line), ...ledgerCauses(line), ...batchCauses(line)]
  const subject = `transaction ${line.transaction}`
  return [...causes, ...forgottenCauses(line, now), ...bankCauses(line)].map((cause) => {
    return { subject, ref: line.ref, cause }
  })
}

function isCharged({ state }: ReconciledLine): boolean {
  return charged.has(state)
}

function openCauses({ state }: ReconciledLine): readonly string[] {
  if (charged.has(state) || closed.has(state)) return []
  return [`its outcome is not known yet (${state})`]
}

function paymentCauses(line: ReconciledLine): readonly string[] {
  const { kind, payment, approvedMinor, approvedFeeMinor } = line
  if (!isCharged(line) || (kind !== 'sale' && kind !== 'credit')) return []
  if (!payment) return ['it is approved and has no payment']
  const causes: string[] = []
  if (payment.totalMinor !== approvedMinor)
    causes.push(
      `its payment says ${money(line, payment.totalMinor)}, approved were ${money(line, approvedMinor)}`,
    )
  if (payment.feeMinor !== approvedFeeMinor)
    causes.push(`its payment has fee ${money(line, payment.feeMinor)}, not ${money(line, approvedFeeMinor)}`)
  if (payment.status === 'failed') causes.push('its payment is marked as failed, and it is approved')
  return causes
}

function ledgerCauses(line: ReconciledLine): readonly string[] {
  const sign = earning.has(line.kind) ? 1n : -1n
  const counts = isCharged(line) && line.kind !== 'verify'
  const total = counts ? sign * line.approvedMinor : 0n
  const fee = counts ? sign * line.approvedFeeMinor : 0n
  const causes: string[] = []
  if (line.postedMinor !== total)
    causes.push(`the ledger has ${money(line, line.postedMinor)}, not ${money(line, total)}`)
  if (line.postedFeeMinor !== fee)
    causes.push(`the ledger has fee ${money(line, line.postedFeeMinor)}, not ${money(line, fee)}`)
  return causes
}

function batchCauses({ batch, payment, bank }: ReconciledLine): readonly string[] {
  const causes: string[] = []
  if (batch && payment?.status !== 'open')
    causes.push(`it is in batch ${batch.number}, and it is ${payment ? payment.status : 'no payment'}`)
  const settledIn = batch?.state === 'accepted' ? batch.ref : ''
  const atBank = bank?.settledIn ?? settledIn
  if (atBank === settledIn) return causes
  const here = settledIn === '' ? 'in none' : `in batch ${batch?.number}`
  const there = atBank === '' ? 'in none' : `in the batch with reference ${atBank}`
  return [...causes, `it is settled ${there} at the bank, and ${here} with us`]
}

// Money that was promised and that nobody has asked for.
function forgottenCauses(line: ReconciledLine, now: Temporal.Instant): readonly string[] {
  const { batch, payment, createdAt } = line
  const isWaiting = isCharged(line) && batch === null && payment?.status === 'open' && payment.totalMinor > 0n
  const isForgotten = now.since(createdAt).total('hours') > 24 * unsettledDaysMax
  return isWaiting && isForgotten
    ? [`it is approved since ${createdAt.toString().slice(0, 10)}, and was never settled`]
    : []
}

// A void has no line of its own at the bank: it shows on its sale. What a file carries the acquirer of cards
// never sees.
function bankCauses(line: ReconciledLine): readonly string[] {
  const { kind, bank, payment, state, approvedMinor } = line
  if (kind === 'void' || kind === 'verify' || kind.startsWith('bank_')) return []
  const held = bank && !bank.isReversed ? bank.approvedMinor : 0n
  if (!isCharged(line))
    return held > 0n && closed.has(state)
      ? [`the bank holds ${money(line, held)}, with us it is ${state}`]
      : []
  if (payment?.status === 'void')
    return held > 0n ? [`it is voided, and the bank holds ${money(line, held)}`] : []
  if (!bank) return ['the bank does not know it']
  if (bank.isReversed) return ['it is approved, and the bank has reversed it']
  return held === approvedMinor
    ? []
    : [`the bank has ${money(line, held)}, approved were ${money(line, approvedMinor)}`]
}

// One batch as its header, its rows and the bank tell it.
export type ReconciledBatch = {
  readonly batch: bigint
  readonly number: number
  readonly state: string
  readonly ref: AcquirerRef
  readonly currency: string
  readonly cardCount: number
  readonly cardNetMinor: bigint
  readonly itemCount: number
  readonly itemNetMinor: bigint
  // null: the bank does not know it, or has rejected it.
  readonly bankNetMinor: bigint | null
}

export function breaksOfBatch(line: ReconciledBatch): readonly Break[] {
  const causes: string[] = []
  if (line.itemCount !== line.cardCount)
    causes.push(`it has ${line.itemCount} rows, closed were ${line.cardCount}`)
  if (line.itemNetMinor !== line.cardNetMinor)
    causes.push(
      `its rows sum up to ${money(line, line.itemNetMinor)}, closed were ${money(line, line.cardNetMinor)}`,
    )
  const isAccepted = line.state === 'accepted'
  if (isAccepted && line.cardCount > 0 && line.bankNetMinor === null)
    causes.push('it is accepted, and the bank has not accepted it')
  if (!isAccepted && line.bankNetMinor !== null)
    causes.push(`it is ${line.state}, and the bank has accepted it`)
  if (line.bankNetMinor !== null && line.bankNetMinor !== line.cardNetMinor)
    causes.push(`the bank settled ${money(line, line.bankNetMinor)}, not ${money(line, line.cardNetMinor)}`)
  if (line.state === 'rejected') causes.push('it was rejected and waits to be settled again')
  if (line.state === 'unknown') causes.push('its outcome is not known yet')
  return causes.map((cause) => ({ subject: `batch ${line.number} (id ${line.batch})`, ref: line.ref, cause }))
}

function money({ currency: code }: { readonly currency: string }, minor: bigint): string {
  const currency = currencyCode(code)
  return currency ? `${printMoney({ minor, currency })} ${currency}` : `${minor} ${code}`
}
