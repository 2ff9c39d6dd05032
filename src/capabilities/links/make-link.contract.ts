import { Type } from 'typebox'
import { consentId } from '#capabilities/consents/consent.ts'
import type { LinkWish, MadeLink } from '#capabilities/links/make-link.operation.ts'
import type { LinkSending } from '#capabilities/links/link.ts'
import { parseOptParam } from '#capabilities/links/opt-param.wire.ts'
import { exact } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { personFromWire, PersonRequest } from '#capabilities/wire/person.wire.ts'
import { patternOf, published } from '#capabilities/wire/published.wire.ts'
import {
  IdFrom,
  orNull,
  outOfRange,
  readCalendarDate,
  WireAddress,
  WireAmount,
  WireId,
  WireLines,
  type WireOf,
  WireReference,
  WireText,
} from '#capabilities/wire/scalars.wire.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

const QuestionRequest = Type.Object(
  {
    Question: Type.Optional(WireText(200, 'Shown to the payer; an item without one asks nothing.')),
    Answer: Type.Optional(WireText(200, 'What the payer must type; compared without case and blanks.')),
  },
  { title: 'Question' },
)

// Taken so that clients of the family need not leave them out; nothing is looked up by them. -1 is how a
// scheduled payment says that it has no transaction.
const unused = (description: string) =>
  Type.Integer({
    minimum: -1,
    maximum: 999_999_999_999_999,
    description,
    'x-unused': true,
    'x-id': true,
  })

const Message = Type.Object(
  {
    Person: Type.Optional(PersonRequest),
    MessageType: Type.String({
      maxLength: 20,
      description: 'TEXT, SMS, EMAIL or URLONLY.',
      ...published({ pattern: patternOf(['TEXT', 'SMS', 'EMAIL', 'URLONLY']) }),
    }),
    RefID: Type.Optional(WireReference(75, 'Your own reference.')),
    RPGUID: Type.Optional(WireReference(75, 'Another reference of yours.')),
    MessageBody: Type.Optional(
      WireLines(
        1_600,
        'Your own words; placeholders are filled in. A text has 1,600 characters in all, of which the ' +
          'link takes about 45 and the expiry of TEXT 32.',
      ),
    ),
    AcctHolderID: Type.Optional(unused('Not used.')),
    Amount: Type.Optional(WireAmount('What is to be paid.')),
    ConsentID: Type.Optional(
      IdFrom(0, 'The consent whose card the payer may use, which needs SingleUse 1; 0 for none.'),
    ),
    DueOn: Type.Optional(WireText(40, 'When it is due: a date.')),
    EINDEX: Type.Optional(WireText(40, 'The index of the integrator key that values are encrypted with.')),
    MerchID: WireId('The merchant record that is paid.'),
    TXID: Type.Optional(unused('Not used.')),
    WType: Type.Optional(
      Type.String({
        maxLength: 20,
        description: 'SW or CPPAY, the usual one; PF, the regular form; PA, the international one.',
        ...published({ pattern: patternOf(['SW', 'PF', 'PA', 'CPPAY', '']) }),
      }),
    ),
    RedirectURL: Type.Optional(WireAddress(4_096, 'Where the payer goes after payment.')),
    WidgetURL: Type.Optional(WireAddress(4_096, 'Empty, or the address of this gateway.')),
    ExpiresOn: Type.Optional(
      WireText(
        40,
        'Until when it can be paid, not before DueOn; 30 days, or through a later DueOn, when it is left out.',
      ),
    ),
    SingleUse: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1, description: '1: one payment; 0: as many as come.' }),
    ),
    OptParam: Type.Optional(WireText(600, 'Options of the form, such as VISIBLE|A060|READONLY|0040.')),
    Questions: Type.Optional(
      Type.Array(QuestionRequest, { maxItems: 5, description: 'What the payer must answer first.' }),
    ),
  },
  { title: 'Msg' },
)

const SmsPayRequest = Type.Object({ Msg: Message })

export const makeLinkContract = defineContract({
  path: 'Other/SMSPay',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'SMSPaymentResult',
  access: 'session',
  load: 'change',
  currencyOf: { kind: 'record', path: 'Msg.MerchID' },
  takesKey: true,
  isBeyondSpecification: false,
  title: 'Text to pay',
  description:
    'Makes a short link to a page on which somebody pays, and sends it by text (TEXT, SMS) or e-mail ' +
    '(EMAIL), or leaves that to you (URLONLY). The message is on its way when this answers; the link is ' +
    'returned in any case. Other/SMSPay with the same Idempotency-Key never sends twice. Links are ' +
    'explained in docs/text-to-pay.md, and the options in OptParam in docs/hosted-form.md.',
  request: SmsPayRequest,
  result: Type.Object({ PaymentUrl: orNull(WireText(4_096, 'The link; null when there is none.')) }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'key_running',
    'key_reused',
    'missing_member',
    'value_out_of_range',
    'merchant_not_found',
    'form_kind_missing',
    'integrator_key_unknown',
    'consent_not_found',
    'alternate_not_allowed',
    'currency_differs',
    'invalid_phone',
    'invalid_email',
    'recipient_stopped',
    'country_not_allowed',
    'too_many_messages',
    'too_many_to_recipient',
  ],
  example: {
    request: {
      Msg: {
        Person: { Firstname: 'Ada', Lastname: 'Miller', Phone: '+1 212 555 0123' },
        MessageType: 'TEXT',
        RefID: 'invoice-1042',
        RPGUID: 'visit-7',
        Amount: 125,
        DueOn: '2028-11-20',
        MerchID: 1,
        WType: 'SW',
        SingleUse: 1,
        OptParam: 'VISIBLE|A060|READONLY|0040|STYLES|000A|OPTIONS|0208',
      },
    },
    result: { PaymentUrl: 'http://127.0.0.1:8080/sw/7k3m9qxv2tr8n4bd' },
    message: 'Text Sent Successfully to +12125550123',
  },
  fromWire: wishFromWire,
  toWire: (made: MadeLink) => ({ message: sentenceFor(made), members: { PaymentUrl: made.url } }),
  refusedToWire: () => ({ PaymentUrl: null }),
})

export function sentenceFor({ sending, recipient }: Pick<MadeLink, 'sending' | 'recipient'>): string {
  if (sending === 'none') return 'Link Created Successfully'
  const told = `${sending === 'email' ? 'Email' : 'Text'} Sent Successfully`
  // Whoever repeats the call after a long time: the recipient of a link that is over is forgotten.
  return recipient === '' ? told : `${told} to ${recipient}`
}

const sendings: Readonly<Record<string, LinkSending>> = {
  TEXT: 'text',
  SMS: 'sms',
  EMAIL: 'email',
  URLONLY: 'none',
}
const widgets: Readonly<Record<string, LinkWish['widget']>> = {
  '': 'SW',
  SW: 'SW',
  PF: 'PF',
  PA: 'PA',
  CPPAY: 'SW',
}

function wishFromWire({ Msg: msg }: WireOf<typeof SmsPayRequest>): Result<LinkWish, RequestFault> {
  const sending = sendings[msg.MessageType.toUpperCase()]
  if (!sending) return outOfRange('Msg.MessageType must be TEXT, SMS, EMAIL or URLONLY')
  const widget = widgets[(msg.WType ?? '').toUpperCase()]
  if (!widget) return outOfRange(`${names.kind} must be SW, PF, PA or CPPAY`)
  const options = parseOptParam(msg.OptParam ?? '')
  if (!options.ok) return options
  const due = msg.DueOn ? readCalendarDate(msg.DueOn, 'Msg.DueOn') : ok(null)
  if (!due.ok) return due
  const questions = questionsFrom(msg.Questions ?? [])
  if (!questions.ok) return questions
  const isSingleUse = msg.SingleUse === 1
  if (msg.ConsentID && !isSingleUse) return outOfRange(sharedCard)
  const { company: _, ...payer } = personFromWire(msg.Person)
  return ok({
    merchant: merchantNumber(msg.MerchID),
    widget,
    sending,
    email: payer.email,
    phone: payer.phone,
    body: msg.MessageBody ?? '',
    amount: msg.Amount === undefined ? null : { amount: exact(msg.Amount), member: names.amount },
    ...options.value,
    dueOn: due.value,
    expiresOn: msg.ExpiresOn ?? '',
    isSingleUse,
    consentId: msg.ConsentID ? consentId(BigInt(msg.ConsentID)) : null,
    questions: questions.value,
    redirectUrl: msg.RedirectURL ?? '',
    widgetUrl: msg.WidgetURL ?? '',
    keyIndex: msg.EINDEX ?? '',
    clientRef: msg.RefID ?? '',
    guid: msg.RPGUID ?? '',
    payer,
    names,
  })
}

const sharedCard =
  'Msg.ConsentID needs Msg.SingleUse 1: a link for many payments is passed on, and each person who opens ' +
  'it would be offered the card on file'

function questionsFrom(
  items: readonly WireOf<typeof QuestionRequest>[],
): Result<LinkWish['questions'], 'missing_member'> {
  const questions: LinkWish['questions'][number][] = []
  for (const [at, { Question: question = '', Answer: answer = '' }] of items.entries()) {
    if (question === '') continue
    if (answer === '') return refuse('missing_member', { problem: `Msg.Questions[${at}].Answer is missing` })
    questions.push({ question, answer })
  }
  return ok(questions)
}

// Links that are sent again are refused by it, too.
export const bodyName = 'Msg.MessageBody'

const names: LinkWish['names'] = {
  kind: 'Msg.WType',
  sms: 'MessageType SMS',
  body: bodyName,
  email: 'Msg.Person.Email',
  phone: 'Msg.Person.Phone',
  amount: 'Msg.Amount',
  dueOn: 'Msg.DueOn',
  expiresOn: 'Msg.ExpiresOn',
  redirectUrl: 'Msg.RedirectURL',
  widgetUrl: 'Msg.WidgetURL',
  keyIndex: 'Msg.EINDEX',
  submission: 'Msg.OptParam OPTIONS',
  visible: 'Msg.OptParam VISIBLE',
  zip: 'Msg.Person.BillIngAdress.ZIP',
  street: 'Msg.Person.BillIngAdress.Address1',
}
