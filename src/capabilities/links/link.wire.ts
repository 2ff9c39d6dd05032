import { Type } from 'typebox'
import type { FoundLink } from '#capabilities/links/query-links.operation.ts'
import type { LinkSending } from '#capabilities/links/link.ts'
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { WireWord } from '#capabilities/wire/published.wire.ts'
import { WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printCalendarDate, printMoment } from '#kernel/calendar.ts'

// A link as Link/Query, Link/Withdraw and Link/Resend tell it.
export const LinkRecord = Type.Object(
  {
    LinkID: Type.Integer({ description: 'The link.' }),
    MerchID: Type.Integer({ description: 'The merchant record that is paid.' }),
    State: WireWord(
      ['OPEN', 'PAYING', 'PAID', 'WITHDRAWN', 'EXPIRED', 'LOCKED', 'CLOSED'],
      'LOCKED after five wrong answers or too many cards, CLOSED with its account.',
    ),
    PaymentUrl: WireText(4_096, 'Opens the page.'),
    MessageType: WireWord(['TEXT', 'SMS', 'EMAIL', 'URLONLY'], 'How it was sent.'),
    Recipient: WireText(150, 'The phone number or e-mail address it was sent to.'),
    RefID: WireText(75, 'Your own reference.'),
    RPGUID: WireText(75, 'Another reference of yours.'),
    Amount: Type.Number({ description: 'What is asked for; 0 where a card is saved only.' }),
    Currency: WireText(3, 'The currency of the merchant record.'),
    SingleUse: Type.Integer({ description: '1: one payment; 0: as many as come.' }),
    Payments: Type.Integer({ description: 'How often it was paid.' }),
    TransactionID: Type.Integer({ description: 'The newest payment; 0 before.' }),
    DueOn: WireText(24, 'When it is due; empty when it is not told.'),
    CreatedOn: WireMoment('When it was made.'),
    ExpiresOn: WireMoment('Until when it can be paid.'),
    SentOn: WireText(24, 'When it was sent last; empty when it never was.'),
    Delivery: WireWord(
      ['WAITING', 'SENT', 'DELIVERED', 'DEAD', 'UNKNOWN', ''],
      'The newest message; UNKNOWN where it may have arrived, empty for none.',
    ),
    DeliveryProblem: WireText(500, 'Why it was not delivered; empty otherwise.'),
    OpenedOn: WireText(24, 'When it was opened first, perhaps for a preview; empty before.'),
    PaidOn: WireText(24, 'When it was paid last; empty before.'),
  },
  { title: 'LinkRecord' },
)

const messageTypes: Readonly<Record<LinkSending, string>> = {
  text: 'TEXT',
  sms: 'SMS',
  email: 'EMAIL',
  none: 'URLONLY',
}

const moment = (at: Temporal.Instant | null): string => (at ? printMoment(at) : '')

export function linkToWire({ link, standing, url, message }: FoundLink): WireOf<typeof LinkRecord> {
  return {
    LinkID: Number(link.linkId),
    MerchID: link.merchantNumber,
    State: standing.toUpperCase(),
    PaymentUrl: url,
    MessageType: messageTypes[link.sending],
    Recipient: link.recipient,
    RefID: link.clientRef,
    RPGUID: link.guid,
    Amount: link.amount ? moneyToWire(link.amount) : 0,
    Currency: link.currency,
    SingleUse: link.isSingleUse ? 1 : 0,
    Payments: link.payments,
    TransactionID: Number(link.transactionId ?? 0n),
    DueOn: link.dueOn ? printCalendarDate(link.dueOn) : '',
    CreatedOn: printMoment(link.createdAt),
    ExpiresOn: printMoment(link.expiresAt),
    SentOn: moment(link.sentAt),
    Delivery: (message?.state ?? '').toUpperCase(),
    DeliveryProblem: message?.problem ?? '',
    OpenedOn: moment(link.openedAt),
    PaidOn: moment(link.paidAt),
  }
}

export const sampleLink: WireOf<typeof LinkRecord> = {
  LinkID: 7,
  MerchID: 1,
  State: 'OPEN',
  PaymentUrl: 'http://127.0.0.1:8080/sw/7k3m9qxv2tr8n4bd',
  MessageType: 'TEXT',
  Recipient: '+12125550123',
  RefID: 'invoice-1042',
  RPGUID: 'visit-7',
  Amount: 125,
  Currency: 'USD',
  SingleUse: 1,
  Payments: 0,
  TransactionID: 0,
  DueOn: '2028-11-20T00:00:00.000Z',
  CreatedOn: '2028-11-15T10:00:00.000Z',
  ExpiresOn: '2028-12-15T10:00:00.000Z',
  SentOn: '2028-11-15T10:00:00.000Z',
  Delivery: 'DELIVERED',
  DeliveryProblem: '',
  OpenedOn: '',
  PaidOn: '',
}
