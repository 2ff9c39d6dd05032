import type { CardTrace, LogRow, Standing, StandingKind } from './bank-log.ts'
import type { BankVerb, Reply, ReplyOutcome } from './bank-request.ts'

// Between rows of the schema and what the bank thinks in. Every column arrives as text, or null.

type Columns<Names extends string> = Readonly<Record<Names, string>>

type ReplyColumns = Columns<
  'ref' | 'code' | 'currency' | 'approved_minor' | 'approval_code' | 'network_id' | 'avs' | 'cvv' | 'advice'
> & { readonly outcome: ReplyOutcome }

type CardColumns = {
  readonly first_six: string | null
  readonly last_four: string | null
  readonly card_mark: string | null
}

type SharedColumns = ReplyColumns &
  CardColumns &
  Columns<'at' | 'original' | 'terminal_id' | 'amount_minor' | 'fee_minor' | 'reason'>

export type RowColumns = SharedColumns & {
  readonly sequence: string
  readonly verb: BankVerb
  readonly is_repeat: string
}

export type StandingColumns = SharedColumns &
  Columns<'digest' | 'refunded_minor' | 'batch_ref'> & {
    readonly kind: StandingKind
    readonly reversed_at: string | null
    readonly refusals_in_a_row: string | null
    readonly chargeback_at: string | null
    readonly hidden_until: string | null
    readonly silent_until: string | null
  }

export function standingToColumns(standing: Standing): StandingColumns {
  return {
    ...sharedColumns(standing),
    kind: standing.kind,
    digest: standing.digest,
    reversed_at: text(standing.reversedAt),
    refunded_minor: String(standing.refundedMinor),
    batch_ref: standing.batchRef,
    refusals_in_a_row: text(standing.refusalsInARow),
    chargeback_at: text(standing.chargebackAt),
    hidden_until: text(standing.hiddenUntil),
    silent_until: text(standing.silentUntil),
  }
}

export function rowToColumns(row: LogRow): Omit<RowColumns, 'sequence'> {
  return { ...sharedColumns(row), verb: row.verb, is_repeat: String(row.isRepeat) }
}

function sharedColumns(of: Omit<LogRow, 'sequence' | 'verb' | 'isRepeat'>): SharedColumns {
  const { reply, card } = of
  return {
    ref: of.ref,
    at: of.at.toString(),
    original: of.original,
    terminal_id: of.terminalId,
    first_six: card?.firstSix ?? null,
    last_four: card?.lastFour ?? null,
    card_mark: card?.mark ?? null,
    amount_minor: String(of.amountMinor),
    fee_minor: String(of.feeMinor),
    currency: reply.currency,
    outcome: reply.outcome,
    code: reply.code,
    approved_minor: String(reply.approvedMinor),
    approval_code: reply.approvalCode,
    network_id: reply.networkId,
    avs: reply.avs,
    cvv: reply.cvv,
    advice: reply.advice,
    reason: of.reason,
  }
}

export function standingFromColumns(columns: StandingColumns): Standing {
  return {
    ...sharedFrom(columns),
    kind: columns.kind,
    digest: columns.digest,
    reversedAt: moment(columns.reversed_at),
    refundedMinor: BigInt(columns.refunded_minor),
    batchRef: columns.batch_ref,
    refusalsInARow: columns.refusals_in_a_row === null ? null : Number(columns.refusals_in_a_row),
    chargebackAt: moment(columns.chargeback_at),
    hiddenUntil: moment(columns.hidden_until),
    silentUntil: moment(columns.silent_until),
  }
}

export function rowFromColumns(columns: RowColumns): LogRow {
  return {
    ...sharedFrom(columns),
    sequence: BigInt(columns.sequence),
    verb: columns.verb,
    isRepeat: columns.is_repeat === 't',
  }
}

function sharedFrom(columns: SharedColumns) {
  return {
    ref: columns.ref,
    at: Temporal.Instant.from(columns.at),
    original: columns.original,
    terminalId: columns.terminal_id,
    card: cardFrom(columns),
    amountMinor: BigInt(columns.amount_minor),
    feeMinor: BigInt(columns.fee_minor),
    reply: replyFrom(columns),
    reason: columns.reason,
  }
}

function replyFrom(columns: ReplyColumns): Reply {
  return {
    ref: columns.ref,
    outcome: columns.outcome,
    code: columns.code,
    currency: columns.currency,
    approvedMinor: BigInt(columns.approved_minor),
    approvalCode: columns.approval_code,
    networkId: columns.network_id,
    avs: columns.avs,
    cvv: columns.cvv,
    advice: columns.advice,
  }
}

function cardFrom({ first_six, last_four, card_mark }: CardColumns): CardTrace | null {
  const isWhole = first_six !== null && last_four !== null && card_mark !== null
  return isWhole ? { firstSix: first_six, lastFour: last_four, mark: card_mark } : null
}

function moment(column: string | null): Temporal.Instant | null {
  return column === null ? null : Temporal.Instant.from(column)
}

function text(value: Temporal.Instant | number | null): string | null {
  return value === null ? null : String(value)
}
