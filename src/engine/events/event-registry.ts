// Every type of event, once: what it is about, what it means, what it says, and a sample. Whoever adds a
// type adds it here; webhooks, queries and the docs follow. What is written stays as it was written, so
// members are added and never renamed.

type Texts<Name extends string> = Readonly<Record<Name, string>>

export type PaymentFacts = Texts<
  'kind' | 'parent' | 'amount' | 'currency' | 'merchant' | 'code' | 'lastFour' | 'clientRef' | 'guid'
>
export type ConsentFacts = Texts<'merchant' | 'lastFour' | 'customerRef' | 'guid'>
export type ScheduleFacts = Texts<
  | 'plan'
  | 'consent'
  | 'merchant'
  | 'payment'
  | 'amount'
  | 'currency'
  | 'dueOn'
  | 'transaction'
  | 'code'
  | 'because'
  | 'nextOn'
>
type BatchFacts = Texts<'number' | 'merchant' | 'count' | 'net' | 'currency' | 'code'>
export type LinkFacts = Texts<
  'merchant' | 'amount' | 'currency' | 'channel' | 'transaction' | 'clientRef' | 'guid'
>
type DisputeFacts = Texts<'amount' | 'currency' | 'merchant' | 'reason' | 'outcome'>

export type EventBodies = {
  'payment.approved': PaymentFacts
  'payment.declined': PaymentFacts
  'payment.unknown': PaymentFacts
  'payment.voided': PaymentFacts
  'payment.credited': PaymentFacts
  'ach.returned': PaymentFacts
  'ach.corrected': Texts<'code' | 'lastFour' | 'merchant' | 'clientRef' | 'guid'>
  'consent.created': ConsentFacts
  'consent.changed': ConsentFacts
  'consent.cancelled': ConsentFacts
  'consent.expiring': ConsentFacts & Texts<'endsOn'>
  'schedule.upcoming': ScheduleFacts
  'schedule.paid': ScheduleFacts
  'schedule.failed': ScheduleFacts
  'schedule.retry_planned': ScheduleFacts
  'batch.closed': BatchFacts
  'batch.failed': BatchFacts
  'batch.released': BatchFacts
  'dispute.opened': DisputeFacts
  'dispute.closed': DisputeFacts
  'form.expired': Texts<'merchant' | 'amount' | 'currency' | 'clientRef' | 'guid' | 'tries'>
  'link.sent': LinkFacts
  'link.opened': LinkFacts
  'link.paid': LinkFacts
  'link.expired': LinkFacts
  'token.expiring': Texts<'alias' | 'expiresAt' | 'daysLeft'>
  // The merchant is empty for a webhook that is told of all of the account.
  'webhook.disabled': Texts<'host' | 'because' | 'merchant'>
}

export type EventType = keyof EventBodies

// What the id of an event's object is the id of.
export type EventObject = 'payment' | 'consent' | 'schedule' | 'batch' | 'form' | 'link' | 'token' | 'webhook'

type Entry<T extends EventType> = {
  readonly object: EventObject
  readonly means: string
  readonly sample: { readonly objectId: number; readonly body: EventBodies[T] }
}

const payment: PaymentFacts = {
  kind: 'sale',
  parent: '',
  amount: '25.50',
  currency: 'USD',
  merchant: '1',
  code: 'M2Q5WD',
  lastFour: '1111',
  clientRef: 'order-1001',
  guid: '',
}
const consent: ConsentFacts = { merchant: '1', lastFour: '1111', customerRef: 'patient-7', guid: '' }
const schedule: ScheduleFacts = {
  plan: '4',
  consent: '22',
  merchant: '1',
  payment: '2',
  amount: '50.00',
  currency: 'USD',
  dueOn: '2027-02-15',
  transaction: '58',
  code: '79T2XY',
  because: 'Approved 79T2XY',
  nextOn: '',
}
const batch: BatchFacts = {
  number: '3',
  merchant: '1',
  count: '2',
  net: '36.50',
  currency: 'USD',
  code: 'BB8XJ8',
}
const dispute: DisputeFacts = {
  amount: '9900.40',
  currency: 'USD',
  merchant: '1',
  reason: '10.4',
  outcome: 'open',
}

const link: LinkFacts = {
  merchant: '1',
  amount: '125.00',
  currency: 'USD',
  channel: '',
  transaction: '',
  clientRef: 'invoice-1042',
  guid: '',
}

export const eventRegistry: { readonly [T in EventType]: Entry<T> } = {
  'payment.approved': {
    object: 'payment',
    means: 'A sale was approved, in full or in part, or a bank debit was recorded.',
    sample: { objectId: 57, body: payment },
  },
  'payment.declined': {
    object: 'payment',
    means: 'What was asked of a card came to nothing: declined, taken back, or never sent.',
    sample: { objectId: 57, body: { ...payment, code: '51' } },
  },
  'payment.unknown': {
    object: 'payment',
    means: 'The bank is silent; its answer follows as another event. Do not charge again.',
    sample: { objectId: 57, body: { ...payment, code: '' } },
  },
  'payment.voided': {
    object: 'payment',
    means:
      'A payment was voided, or a credit of a bank debit is not sent, because it was voided or the debit ' +
      'had come back; the id is that of what was voided.',
    sample: { objectId: 57, body: { ...payment, kind: 'void', parent: '57', code: '' } },
  },
  'payment.credited': {
    object: 'payment',
    means: 'Money went back to a payer; the id is that of the credit, parent that of the payment.',
    sample: { objectId: 59, body: { ...payment, kind: 'credit', parent: '57', amount: '10.00' } },
  },
  'ach.returned': {
    object: 'payment',
    means: 'A bank debit, or a credit of one, came back; the id is that of what came back.',
    sample: { objectId: 60, body: { ...payment, kind: 'bank_return', parent: '60', code: 'R01' } },
  },
  'ach.corrected': {
    object: 'payment',
    means: 'The bank has told a better account number; it is used from now on.',
    sample: {
      objectId: 60,
      body: { code: 'C01', lastFour: '1614', merchant: '1', clientRef: 'order-1001', guid: '' },
    },
  },
  'consent.created': {
    object: 'consent',
    means: 'A card may be charged under a new consent.',
    sample: { objectId: 22, body: consent },
  },
  'consent.changed': {
    object: 'consent',
    means: 'The card, the limits or the end of a consent were changed.',
    sample: { objectId: 22, body: consent },
  },
  'consent.cancelled': {
    object: 'consent',
    means: 'A consent has ended, and its card number is erased.',
    sample: { objectId: 22, body: consent },
  },
  'consent.expiring': {
    object: 'consent',
    means: 'A consent ends in 30 days, or in less when it was made for less.',
    sample: { objectId: 22, body: { ...consent, endsOn: '2027-02-14' } },
  },
  'schedule.upcoming': {
    object: 'schedule',
    means: 'A scheduled payment falls due soon.',
    sample: {
      objectId: 31,
      body: { ...schedule, transaction: '', code: '', because: 'Due on 2027-02-15', nextOn: '2027-02-15' },
    },
  },
  'schedule.paid': {
    object: 'schedule',
    means: 'A scheduled payment was paid.',
    sample: { objectId: 31, body: schedule },
  },
  'schedule.failed': {
    object: 'schedule',
    means: 'A scheduled payment has failed for good.',
    sample: { objectId: 31, body: { ...schedule, code: '51', because: 'No retries are left' } },
  },
  'schedule.retry_planned': {
    object: 'schedule',
    means: 'A scheduled payment was declined and will be tried again on nextOn.',
    sample: {
      objectId: 31,
      body: { ...schedule, code: '51', because: 'Declined with 51', nextOn: '2027-02-16' },
    },
  },
  'batch.closed': {
    object: 'batch',
    means: 'The acquirer has accepted a batch.',
    sample: { objectId: 12, body: batch },
  },
  'batch.failed': {
    object: 'batch',
    means: 'A batch was not accepted; its transactions wait for the next try.',
    sample: { objectId: 12, body: { ...batch, code: '95' } },
  },
  'batch.released': {
    object: 'batch',
    means:
      'A batch that failed is given up: batch.closed tells what the acquirer had settled in another one, ' +
      'and the rest settles with the next.',
    sample: { objectId: 12, body: { ...batch, code: '95' } },
  },
  'dispute.opened': {
    object: 'payment',
    means: "The payer's bank has taken a payment back.",
    sample: { objectId: 57, body: dispute },
  },
  'dispute.closed': {
    object: 'payment',
    means: 'A dispute is won or lost.',
    sample: { objectId: 57, body: { ...dispute, outcome: 'won' } },
  },
  'form.expired': {
    object: 'form',
    means: 'Nobody paid a hosted form in time; its page says so, and nothing was charged.',
    sample: {
      objectId: 12,
      body: {
        merchant: '1',
        amount: '125.00',
        currency: 'USD',
        clientRef: 'invoice-1042',
        guid: 'visit-7',
        tries: '0',
      },
    },
  },
  'link.sent': {
    object: 'link',
    means: 'A payment link is on its way to a payer, by text or e-mail, for the first time or again.',
    sample: { objectId: 7, body: { ...link, channel: 'text' } },
  },
  'link.opened': {
    object: 'link',
    means: 'A payment link was opened for the first time, perhaps by a machine that shows previews.',
    sample: { objectId: 7, body: link },
  },
  'link.paid': {
    object: 'link',
    means: 'A payment link was paid; amount is what was paid.',
    sample: { objectId: 7, body: { ...link, transaction: '57' } },
  },
  'link.expired': {
    object: 'link',
    means: 'The time of a payment link is over.',
    sample: { objectId: 7, body: link },
  },
  'token.expiring': {
    object: 'token',
    means: 'A token expires within 60, 30, 7 or 1 day; issue another.',
    sample: {
      objectId: 2,
      body: { alias: 'till', expiresAt: '2027-04-18T07:29:47.000Z', daysLeft: '30' },
    },
  },
  'webhook.disabled': {
    object: 'webhook',
    means: 'A webhook is told nothing more: it answered 410, has failed for days, or was switched off.',
    sample: {
      objectId: 3,
      body: { host: 'shop.example', because: 'It has failed for 5 days', merchant: '' },
    },
  },
}

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(eventRegistry, text)
}

export const eventTypes: readonly EventType[] = Object.keys(eventRegistry).filter(isEventType)
