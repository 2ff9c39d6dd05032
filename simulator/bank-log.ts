import type { BankVerb, Reply } from './bank-request.ts'

// The bank's memory. A request is a row of it before its answer is given out. Card numbers and security
// codes are in none of this: a card is its first six and last four digits, and a mark that only the key of
// this log can make.

export type CardTrace = { readonly firstSix: string; readonly lastFour: string; readonly mark: string }

export type EntryItem = {
  readonly ref: string
  readonly amountMinor: bigint
  readonly currency: string
  readonly isCredit: boolean
}

// A request as the log takes it in.
export type Entry = {
  readonly verb: BankVerb
  readonly ref: string
  readonly at: Temporal.Instant
  // The sale that a refund gives back.
  readonly original: string
  readonly terminalId: string
  readonly card: CardTrace | null
  readonly amountMinor: bigint
  readonly feeMinor: bigint
  readonly currency: string
  readonly items: readonly EntryItem[]
  // Of everything that makes a repeated reference the same request.
  readonly digest: string
  // What the bank would answer if nothing of the past stood against it; null where the past alone decides.
  readonly verdict: Reply | null
  readonly reason: string
  readonly refusalsInARow: number | null
  readonly chargebackAt: Temporal.Instant | null
  readonly hiddenUntil: Temporal.Instant | null
  readonly silentUntil: Temporal.Instant | null
}

export type StandingKind = 'sale' | 'verification' | 'refund' | 'batch' | 'closed'

// What stands under one reference. `closed`: reversed before anything arrived.
export type Standing = {
  readonly ref: string
  readonly kind: StandingKind
  readonly at: Temporal.Instant
  readonly digest: string
  readonly original: string
  readonly terminalId: string
  readonly card: CardTrace | null
  readonly amountMinor: bigint
  readonly feeMinor: bigint
  readonly reply: Reply
  readonly reason: string
  readonly reversedAt: Temporal.Instant | null
  readonly refundedMinor: bigint
  // The accepted batch it is in.
  readonly batchRef: string
  readonly refusalsInARow: number | null
  readonly chargebackAt: Temporal.Instant | null
  readonly hiddenUntil: Temporal.Instant | null
  readonly silentUntil: Temporal.Instant | null
}

// One row of what the bank saw, with what it answered.
export type LogRow = {
  readonly sequence: bigint
  readonly at: Temporal.Instant
  readonly verb: BankVerb
  readonly ref: string
  readonly original: string
  readonly terminalId: string
  readonly card: CardTrace | null
  readonly amountMinor: bigint
  readonly feeMinor: bigint
  readonly reply: Reply
  readonly reason: string
  readonly isRepeat: boolean
}

export type Filed = {
  readonly reply: Reply
  readonly reason: string
  // The reference had been used before.
  readonly isRepeat: boolean
  // What stood under the reference, for the manners of an inquiry.
  readonly standing: Standing | null
}

export type LogQuery = { readonly ref?: string; readonly last: number }

export type BankLog = {
  // Made at random with the log; marks cards and digests requests.
  readonly key: Buffer
  file(entry: Entry): Promise<Filed>
  refusalsInARow(mark: string): Promise<number>
  // Newest first.
  read(query: LogQuery): Promise<readonly LogRow[]>
  // Sales, verifications and refunds by the time they came in, oldest first.
  report(from: Temporal.Instant, to: Temporal.Instant): AsyncIterable<Standing>
  // Sales that a payer takes back in this time, oldest first.
  disputes(from: Temporal.Instant, to: Temporal.Instant): AsyncIterable<Standing>
  close(): Promise<void>
}
