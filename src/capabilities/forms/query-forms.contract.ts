import { Type } from 'typebox'
import type { FoundForm, FormQuery } from '#capabilities/forms/query-forms.operation.ts'
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { countSentence } from '#capabilities/wire/newest.wire.ts'
import { WireWord } from '#capabilities/wire/published.wire.ts'
import {
  outOfRange,
  WireAddress,
  WireId,
  WireMoment,
  type WireOf,
  WireReference,
  WireText,
} from '#capabilities/wire/scalars.wire.ts'
import { printMoment } from '#kernel/calendar.ts'
import type { Newest } from '#kernel/newest.ts'
import { ok, type Result } from '#kernel/result.ts'
import { Secret } from '#kernel/secret.ts'

const FormRecord = Type.Object(
  {
    FormID: Type.Integer({ description: 'The form.' }),
    MerchID: Type.Integer({ description: 'The merchant record that is paid.' }),
    State: WireWord(['OPEN', 'PAYING', 'PAID', 'EXPIRED', 'CLOSED'], 'CLOSED with its account.'),
    REF_ID: WireText(75, 'Your own reference.'),
    RPGUID: WireText(75, 'Another reference of yours.'),
    Amount: Type.Number({ description: 'What was asked for; 0 where the payer types it.' }),
    Currency: WireText(3, 'The currency of the merchant record.'),
    TotalAmt: Type.Number({ description: 'What was paid, fee included; 0 before.' }),
    TransactionID: Type.Integer({ description: 'The newest transaction; 0 before the first try.' }),
    TransID: WireText(36, 'The newest order, in an international record; empty elsewhere.'),
    BankStatus: WireWord(
      ['OPEN', 'SETTLED', 'FAILED', 'RETURNED', 'VOID', ''],
      'Of a payment from a bank account: FAILED was sent back by the network, RETURNED by its bank; empty ' +
        'for cards.',
    ),
    ReturnCode: WireText(3, 'Why the bank sent it back, such as R01; empty when it did not.'),
    ConsentID: Type.Integer({ description: 'Under which the card is stored; 0 when it is not.' }),
    Tries: Type.Integer({ description: 'How often a payment was begun.' }),
    CreatedOn: WireMoment('When the form was made.'),
    ExpiresOn: WireMoment('Until when it can be paid.'),
    PaidOn: WireText(24, 'When it was paid; empty before.'),
  },
  { title: 'FormRecord' },
)

const QueryFormsRequest = Type.Object({
  FormID: Type.Optional(WireId('The form.')),
  PaymentUrl: Type.Optional(WireAddress(4_096, 'The address that InitForm returned.')),
  RefID: Type.Optional(WireReference(75, 'The REF_ID or RPGUID that the form was made with.')),
})

export const queryFormsContract = defineContract({
  path: 'Form/Query',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Form_QueryResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Query hosted forms',
  description:
    'Finds forms of the account and says what became of them, newest first, at most 100: one by its ' +
    'id or address, those of a reference, or the newest. This is how to confirm a payment before shipping.',
  request: QueryFormsRequest,
  result: Type.Object({ Forms: Type.Array(FormRecord, { description: 'What was found.' }) }),
  refusals: ['session_invalid', 'session_elsewhere', 'rate_limited', 'value_out_of_range'],
  example: {
    request: { RefID: 'invoice-1042' },
    result: {
      Forms: [
        {
          FormID: 12,
          MerchID: 1,
          State: 'PAID',
          REF_ID: 'invoice-1042',
          RPGUID: 'visit-7',
          Amount: 125,
          Currency: 'USD',
          TotalAmt: 125,
          TransactionID: 57,
          TransID: '',
          BankStatus: '',
          ReturnCode: '',
          ConsentID: 0,
          Tries: 1,
          CreatedOn: '2026-11-15T10:00:00.000Z',
          ExpiresOn: '2026-11-15T11:00:00.000Z',
          PaidOn: '2026-11-15T10:02:00.000Z',
        },
      ],
    },
    message: 'Found 1 form',
  },
  fromWire: queryFromWire,
  toWire: (forms: Newest<FoundForm>) => ({
    message: countSentence(forms, 'form'),
    members: { Forms: forms.found.map(formToWire) },
  }),
  refusedToWire: () => ({ Forms: [] }),
})

function queryFromWire({
  FormID: id,
  PaymentUrl: url = '',
  RefID: reference = '',
}: WireOf<typeof QueryFormsRequest>): Result<FormQuery, RequestFault> {
  const form = id === undefined ? null : BigInt(id)
  if (url === '') return ok({ form, token: null, reference })
  const [, token] = /[?&]s=([0-9a-f]{32})(?:&|$)/.exec(url) ?? []
  return token
    ? ok({ form, token: new Secret(token), reference })
    : outOfRange('PaymentUrl is no address of a form')
}

function formToWire({ form, standing, attempt, bankDebit }: FoundForm): WireOf<typeof FormRecord> {
  const isPaid = standing === 'paid' && attempt !== null
  return {
    FormID: Number(form.formId),
    MerchID: form.merchantNumber,
    State: standing.toUpperCase(),
    REF_ID: form.clientRef,
    RPGUID: form.guid,
    Amount: form.amount ? moneyToWire(form.amount) : 0,
    Currency: form.currency,
    TotalAmt: isPaid ? moneyToWire(attempt.approved.total) : 0,
    TransactionID: Number(attempt?.attemptId ?? 0n),
    TransID: form.orderRef ?? '',
    BankStatus: bankDebit?.status.toUpperCase() ?? '',
    ReturnCode: bankDebit?.returnCode ?? '',
    ConsentID: Number(form.consentId ?? 0n),
    Tries: form.tries,
    CreatedOn: printMoment(form.createdAt),
    ExpiresOn: printMoment(form.expiresAt),
    PaidOn: form.paidAt ? printMoment(form.paidAt) : '',
  }
}
