import { Type } from 'typebox'
import type { Processed, ProcessedPayment } from '#capabilities/collection/processed.ts'
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { declineText } from '#engine/payments/decline-codes.ts'
import type { Reply } from '#capabilities/wire/contract.ts'
import { WireWord, cardTypes } from '#capabilities/wire/published.wire.ts'
import { WireFlag, WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printMoment } from '#kernel/calendar.ts'

// Spec "Processed payment item". Rest and TxnCodeText are beyond the specification.
const ProcessedItem = Type.Object(
  {
    SchedID: Type.Integer({ description: 'The scheduled payment.' }),
    SchedNum: Type.Integer({ description: 'The plan that it belongs to.' }),
    SEQ: WireText(4, 'Its place in the open batch; 0000 unless approved.'),
    ConsentID: Type.Integer({ description: 'The consent of the plan.' }),
    ConsentType: WireWord(['R', 'S'], 'R recurring, S subscription without end.'),
    MerchID: Type.Integer({ description: 'The merchant record.' }),
    AcctNo: WireText(4, 'The last four digits of the card.'),
    CardHolder: WireText(151, 'First and last name of the account holder, or the company.'),
    CardType: WireWord(cardTypes, 'The network of the card; empty where it is not known.'),
    PaymentAmt: Type.Number({ description: 'What was approved; otherwise what was requested.' }),
    PaymentDate: WireMoment('When it was charged.'),
    PaymentNum: Type.Integer({ description: 'Its number in the plan, from 1.' }),
    IsPartialApproval: WireFlag('Less than the amount was approved.'),
    TxApproved: WireFlag('Approved, in full or in part.'),
    TxID: Type.Integer({ description: 'The transaction.' }),
    TxnCode: Type.Integer({
      description: 'The approval code or the decline code where it has digits only (05 is 5); 0 otherwise.',
    }),
    TxnCodeText: WireText(12, 'Beyond the specification: the code as it is; empty while not known.'),
    Rest: Type.Number({
      description: 'Beyond the specification: what a partial approval leaves to pay; 0 otherwise.',
    }),
    ErrMsg: WireText(200, 'Why it was declined, or that its outcome is not known; empty when approved.'),
  },
  { title: 'ProcessedPayment' },
)

export const ProcessedResult = Type.Object({
  ApprovedPayments: Type.Array(ProcessedItem, { description: 'Approved, in full or in part.' }),
  DeclinedPayments: Type.Array(ProcessedItem, { description: 'Declined, each with the reason.' }),
  UnknownPayments: Type.Array(ProcessedItem, {
    description: 'Beyond the specification: their outcome is not known yet. Do not charge them again.',
  }),
  NotChargedSchedIDs: Type.Array(Type.Integer(), {
    description: 'Beyond the specification: what the run took and did not charge. It can be tried again.',
  }),
  NumApproved: Type.Integer({ description: 'How many were approved, in full or in part.' }),
  NumDeclined: Type.Integer({ description: 'How many were declined.' }),
  NumPartialAuths: Type.Integer({ description: 'How many of the approved were approved in part.' }),
  NumProcessed: Type.Integer({ description: 'Approved, declined, and those of an unknown outcome.' }),
  RunState: WireText(
    9,
    'Beyond the specification: FINISHED; RUNNING: the run goes on behind this answer; CUT_SHORT: it ended ' +
      'early. What it does not reach is not charged; the next run takes what is due. Empty: no run began.',
  ),
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
  TxnCode: 0,
  TxnCodeText: 'QKZVHT',
  Rest: 0,
  ErrMsg: '',
}

export const nothingProcessed: WireOf<typeof ProcessedResult> = {
  ApprovedPayments: [],
  DeclinedPayments: [],
  UnknownPayments: [],
  NotChargedSchedIDs: [],
  NumApproved: 0,
  NumDeclined: 0,
  NumPartialAuths: 0,
  NumProcessed: 0,
  RunState: '',
}

export function processedToWire(processed: Processed): Reply<WireOf<typeof ProcessedResult>> {
  const { approved, declined, unknown, untouched, ending } = processed
  const members = {
    ApprovedPayments: approved.map(itemToWire),
    DeclinedPayments: declined.map(itemToWire),
    UnknownPayments: unknown.map(itemToWire),
    NotChargedSchedIDs: untouched.map(Number),
    NumApproved: approved.length,
    NumDeclined: declined.length,
    NumPartialAuths: approved.filter(({ rest }) => rest !== null).length,
    NumProcessed: approved.length + declined.length + unknown.length,
    RunState: ending.toUpperCase(),
  }
  const counts = [
    `Total Processed: ${members.NumProcessed}`,
    `Approved: ${members.NumApproved}`,
    `Declined: ${members.NumDeclined}`,
    `Partial: ${members.NumPartialAuths}`,
  ]
  return { message: counts.join(' '), members }
}

function itemToWire(payment: ProcessedPayment): WireOf<typeof ProcessedItem> {
  const isTaken = payment.outcome === 'approved' || payment.outcome === 'partial'
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
    TxnCode: /^\d+$/.test(payment.code) ? Number(payment.code) : 0,
    TxnCodeText: payment.code,
    Rest: payment.rest === null ? 0 : moneyToWire(payment.rest),
    ErrMsg: problemOf(payment),
  }
}

function problemOf({ outcome, code }: ProcessedPayment): string {
  if (outcome === 'unknown') return 'Outcome not known yet. Do not charge again.'
  return outcome === 'declined' ? declineText(code) : ''
}
