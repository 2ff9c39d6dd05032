import { Type } from 'typebox'
import type { Processed, ProcessedPayment } from '#capabilities/collection/processed.ts'
import { moneyText, moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { declineText } from '#engine/payments/decline-codes.ts'
import type { Reply } from '#capabilities/wire/contract.ts'
import { WireWord, cardTypes } from '#capabilities/wire/published.wire.ts'
import { WireFlag, WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printMoment } from '#kernel/calendar.ts'

// Spec "Processed payment item". The specification's samples show TxnCode as a number where it is one.
const ProcessedItem = Type.Object(
  {
    SchedID: Type.Integer({ description: 'The scheduled payment.' }),
    SchedNum: Type.Integer({ description: 'The plan that it belongs to.' }),
    SEQ: WireText(4, 'Its place in the open batch; 0000 when declined.'),
    ConsentID: Type.Integer({ description: 'The consent of the plan.' }),
    ConsentType: WireWord(['R', 'S'], 'R recurring, S subscription without end.'),
    MerchID: Type.Integer({ description: 'The merchant record.' }),
    AcctNo: WireText(4, 'The last four digits of the card.'),
    CardHolder: WireText(151, 'First and last name of the account holder, or the company.'),
    CardType: WireWord(cardTypes, 'The network of the card; empty where it is not known.'),
    PaymentAmt: Type.Number({ description: 'What was approved; when declined, what was asked for.' }),
    PaymentDate: WireMoment('When it was charged.'),
    PaymentNum: Type.Integer({ description: 'Its number in the plan, from 1.' }),
    IsPartialApproval: WireFlag('Less than the amount was approved.'),
    TxApproved: WireFlag('Approved, in full or in part.'),
    TxID: Type.Integer({ description: 'The transaction.' }),
    TxnCode: Type.Union([Type.Integer(), Type.String()], {
      description: 'The approval code or the decline code; a number when it is one without a leading zero.',
    }),
    ErrMsg: WireText(200, 'Why it was declined; empty when approved.'),
  },
  { title: 'ProcessedPayment' },
)

export const ProcessedResult = Type.Object({
  ApprovedPayments: Type.Array(ProcessedItem, { description: 'Approved, in full or in part.' }),
  DeclinedPayments: Type.Array(ProcessedItem, { description: 'Declined, each with the reason.' }),
  NumApproved: Type.Integer({ description: 'How many were approved, in full or in part.' }),
  NumDeclined: Type.Integer({ description: 'How many were declined.' }),
  NumPartialAuths: Type.Integer({ description: 'How many of the approved were approved in part.' }),
  NumProcessed: Type.Integer({ description: 'Approved, declined, and those of an unknown outcome.' }),
})

export const exampleItem: WireOf<typeof ProcessedItem> = {
  SchedID: 10,
  SchedNum: 3,
  SEQ: '0001',
  ConsentID: 22,
  ConsentType: 'R',
  MerchID: 1,
  AcctNo: '1111',
  CardHolder: 'Ann Example',
  CardType: 'VI',
  PaymentAmt: 83.33,
  PaymentDate: '2027-01-31T08:00:01.250Z',
  PaymentNum: 1,
  IsPartialApproval: false,
  TxApproved: true,
  TxID: 57,
  TxnCode: 'QKZVHT',
  ErrMsg: '',
}

export const nothingProcessed: WireOf<typeof ProcessedResult> = {
  ApprovedPayments: [],
  DeclinedPayments: [],
  NumApproved: 0,
  NumDeclined: 0,
  NumPartialAuths: 0,
  NumProcessed: 0,
}

export function processedToWire(processed: Processed): Reply<WireOf<typeof ProcessedResult>> {
  const { approved, declined, unknown } = processed
  const members = {
    ApprovedPayments: approved.map(itemToWire),
    DeclinedPayments: declined.map(itemToWire),
    NumApproved: approved.length,
    NumDeclined: declined.length,
    NumPartialAuths: approved.filter(({ rest }) => rest !== null).length,
    NumProcessed: approved.length + declined.length + unknown.length,
  }
  const counts = [
    `Total Processed: ${members.NumProcessed}`,
    `Approved: ${members.NumApproved}`,
    `Declined: ${members.NumDeclined}`,
    `Partial: ${members.NumPartialAuths}`,
  ]
  return { message: [counts.join(' '), ...remarksOn(processed)].join('. '), members }
}

const namedMax = 50

const endingRemarks: Readonly<Record<Processed['ending'], readonly string[]>> = {
  finished: [],
  // Should the gateway stop before the end, nobody goes on with what is not due.
  running: [
    'Still running: look at the rest later. What it does not reach is not charged; if due, the next run takes it',
  ],
  cut_short: ['Cut short: what was not reached is not charged; if due, the next run takes it'],
}

function remarksOn({ approved, unknown, untouched, ending }: Processed): readonly string[] {
  const rests = approved.flatMap(({ instalmentId, rest }) =>
    rest === null ? [] : [`SchedID ${instalmentId} ${moneyText(rest)}`],
  )
  return [
    ...(rests.length > 0 ? [`Left to pay after partial approvals: ${firstOf(rests)}`] : []),
    ...(unknown.length > 0
      ? [`Outcome not known yet, do not charge again: SchedID ${firstOf(unknown.map(String))}`]
      : []),
    ...(untouched.length > 0 ? [`Not charged, try again: SchedID ${firstOf(untouched.map(String))}`] : []),
    ...endingRemarks[ending],
  ]
}

function firstOf(names: readonly string[]): string {
  const more = names.length - namedMax
  return `${names.slice(0, namedMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function itemToWire(payment: ProcessedPayment): WireOf<typeof ProcessedItem> {
  const isTaken = payment.outcome !== 'declined'
  return {
    SchedID: Number(payment.instalmentId),
    SchedNum: Number(payment.planId),
    SEQ: String(payment.sequence % 10_000).padStart(4, '0'),
    ConsentID: Number(payment.consentId),
    ConsentType: payment.isSubscription ? 'S' : 'R',
    MerchID: payment.merchantNumber,
    AcctNo: payment.lastFour,
    CardHolder: payment.holder,
    CardType: payment.brand,
    PaymentAmt: moneyToWire(payment.amount),
    PaymentDate: printMoment(Temporal.Instant.fromEpochMilliseconds(payment.atMs)),
    PaymentNum: payment.paymentNumber,
    IsPartialApproval: payment.outcome === 'partial',
    TxApproved: isTaken,
    TxID: Number(payment.attemptId),
    TxnCode: codeToWire(payment.code),
    ErrMsg: isTaken ? '' : declineText(payment.code),
  }
}

function codeToWire(code: string): number | string {
  return /^[1-9]\d{0,8}$/.test(code) ? Number(code) : code
}
