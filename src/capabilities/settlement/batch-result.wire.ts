import { Type } from 'typebox'
import { notSentCode } from '#capabilities/settlement/batch-transitions.ts'
import {
  type Batch,
  type BatchState,
  netOf,
  type NothingSettled,
  type NotSettled,
  type Settled,
  uncounted,
} from '#capabilities/settlement/batch.ts'
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import type { Reply } from '#capabilities/wire/contract.ts'
import { WireWord } from '#capabilities/wire/published.wire.ts'
import { WireFlag, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'

// Spec "Batch result (BatchResult)".
const BatchResult = Type.Object(
  {
    BatchLogID: Type.Integer({ description: 'The id of the batch.' }),
    BatchNum: Type.Integer({ description: 'Counts up within the account.' }),
    BatchOpen: Type.Integer({
      description: 'When its oldest transaction was made: MMDDYYhhmm, record time.',
    }),
    BatchClose: Type.Integer({ description: 'When it was closed: MMDDYYhhmm, record time.' }),
    BatchTransCount: Type.Integer({ description: 'How many transactions it has.' }),
    BatchNetAmount: Type.Number({ description: 'Sales minus credits.' }),
    RemainingUnsettled: Type.Integer({
      description:
        'Of the record, in no batch after this call; -1 when they could not be counted, or the record is not known.',
    }),
    Code: WireWord(
      ['A', 'F', ''],
      'A accepted, F failed; empty when there was nothing to settle or it is not known.',
    ),
    ResultText: WireText(40, 'OK, batch number in three digits, month and day, 0000.'),
    TxLock: WireText(16, 'Stands on every transaction of the batch; 0 when there is none.'),
  },
  { title: 'BatchResult' },
)

export const SettlementResult = Type.Object({
  BatchResult,
  SettlementApproved: WireFlag('The batch is accepted.'),
  FailReason: WireText(60, 'Beyond the specification: why the batch failed; empty otherwise.'),
})

export const settlementRefusals = [
  'session_invalid',
  'session_elsewhere',
  'rate_limited',
  'key_running',
  'key_reused',
  'merchant_not_found',
  'record_international',
  'batch_running',
  'transaction_not_found',
  'not_settleable',
  'batch_unknown',
  'batch_altered',
  'books_disagree',
] as const

export const settlementExample = {
  BatchResult: {
    BatchLogID: 12,
    BatchNum: 3,
    BatchOpen: 720270905,
    BatchClose: 720272330,
    BatchTransCount: 2,
    BatchNetAmount: 36.5,
    RemainingUnsettled: 0,
    Code: 'A',
    ResultText: 'OK 003 0720 0000',
    TxLock: '9F3C2B7A51E04D86',
  },
  SettlementApproved: true,
  FailReason: '',
}

const nothing: WireOf<typeof BatchResult> = {
  BatchLogID: 0,
  BatchNum: 0,
  BatchOpen: 0,
  BatchClose: 0,
  BatchTransCount: 0,
  BatchNetAmount: 0,
  RemainingUnsettled: 0,
  Code: '',
  ResultText: '',
  TxLock: '0',
}

export function settlementToWire(settled: Settled | NothingSettled): Reply<WireOf<typeof SettlementResult>> {
  if (settled.batch === null) {
    const rest = { ...nothing, RemainingUnsettled: settled.remaining }
    const members = { BatchResult: rest, SettlementApproved: false, FailReason: '' }
    return { message: 'Nothing to settle', members }
  }
  const { batch, isAccepted, resultCode, remaining, timeZone, isRepeat } = settled
  const text = resultText(settled)
  const told = { Code: isAccepted ? 'A' : 'F', ResultText: text, RemainingUnsettled: remaining }
  return {
    message: `${isAccepted ? 'Successful' : 'Failed'} Settlement : ${text}`,
    members: {
      BatchResult: { ...batchToWire(batch, timeZone), ...told },
      SettlementApproved: isAccepted,
      FailReason: isAccepted ? '' : why(resultCode),
    },
    ...(isRepeat ? { notes: { 'Idempotent-Replayed': 'true' } } : {}),
  }
}

// Nothing is known of a record that was not found, or not even named.
export function refusedSettlement(known: NotSettled | null): WireOf<typeof SettlementResult> {
  const batch = known?.batch ? batchToWire(known.batch, known.timeZone) : nothing
  return {
    BatchResult: { ...batch, RemainingUnsettled: known?.remaining ?? uncounted },
    SettlementApproved: false,
    FailReason: '',
  }
}

function batchToWire(batch: Batch, timeZone: string): WireOf<typeof BatchResult> {
  return {
    BatchLogID: Number(batch.batchId),
    BatchNum: batch.batchNumber,
    BatchOpen: Number(digitsOf(batch.openedAt, timeZone)),
    BatchClose: Number(digitsOf(batch.closedAt, timeZone)),
    BatchTransCount: batch.itemCount,
    BatchNetAmount: moneyToWire(netOf(batch)),
    RemainingUnsettled: 0,
    Code: '',
    ResultText: '',
    TxLock: batch.lock,
  }
}

// MMDDYYhhmm
export function digitsOf(moment: Temporal.Instant, timeZone: string): string {
  const { month, day, year, hour, minute } = moment.toZonedDateTimeISO(timeZone)
  return [month, day, year % 100, hour, minute].map((part) => String(part).padStart(2, '0')).join('')
}

type Dated = Pick<Settled, 'isAccepted' | 'timeZone'> & {
  readonly batch: Pick<Batch, 'batchNumber' | 'closedAt'>
}

export function resultText({ batch, isAccepted, timeZone }: Dated): string {
  const number = String(batch.batchNumber % 1_000).padStart(3, '0')
  return `${isAccepted ? 'OK' : 'NO'} ${number} ${digitsOf(batch.closedAt, timeZone).slice(0, 4)} 0000`
}

function why(resultCode: string): string {
  return resultCode === notSentCode ? 'the acquirer cannot be reached' : `rejected with code ${resultCode}`
}

// What has not been answered yet is neither.
export function batchStatus(state: BatchState): string {
  if (state === 'accepted') return 'APPROVED'
  return state === 'rejected' || state === 'released' ? 'FAILED' : 'PENDING'
}
