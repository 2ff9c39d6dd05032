import { Type } from 'typebox'
import { bankMembers, bankMembersOf, refusedBankMembers } from '#capabilities/bank-debits/bank-debit.wire.ts'
import type { BankCharge } from '#capabilities/bank-debits/charge-bank-account.operation.ts'
import { exact } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { holderFromWire, personFromWire, PersonRequest } from '#capabilities/wire/person.wire.ts'
import { published } from '#capabilities/wire/published.wire.ts'
import {
  cardNumbers,
  outOfRange,
  WireAmount,
  WireId,
  type WireOf,
  WireReference,
  WireText,
} from '#capabilities/wire/scalars.wire.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { BankAccountNumber } from '#kernel/bank-account-number.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { isRoutingNumber } from '#kernel/nacha/routing-number.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

const ChargeDetails = Type.Object(
  {
    AccountNumber: Type.String({
      maxLength: 40,
      description: 'The account, 4 to 17 digits; blanks and dashes are tolerated.',
      ...published({ minLength: 4 }),
      ...cardNumbers.allowed,
    }),
    RoutingNumber: Type.String({
      maxLength: 9,
      description: 'The nine digits of its bank.',
      ...published({ pattern: '^\\s*\\d{9}\\s*$' }),
      ...cardNumbers.allowed,
    }),
    Amount: WireAmount('What to take, in dollars.'),
    AccountType: Type.Integer({
      minimum: 1,
      maximum: 4,
      description: '1 checking and 2 savings of a person, 3 checking and 4 savings of a business.',
    }),
  },
  { title: 'ChargeDetails' },
)

const BankPurchase = Type.Object(
  {
    ServiceDescrip: Type.Optional(WireReference(200, 'What is paid for.')),
    ClientRefID: Type.Optional(WireReference(75, 'Your own reference.')),
    RPGUID: Type.Optional(WireReference(75, 'Another reference of yours.')),
  },
  { title: 'PurchItems' },
)

const BankChargeRequest = Type.Object({
  ChargeDetails,
  AcctHolder: PersonRequest,
  EndCustomer: Type.Optional(PersonRequest),
  PurchItems: Type.Optional(BankPurchase),
  MerchID: WireId('The merchant record that charges; it must take bank debits.'),
})

export const chargeBankAccountContract = defineContract({
  path: 'ACH/Sale',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ACHTransactionResult',
  access: 'session',
  load: 'money',
  currencyOf: { kind: 'record', path: 'MerchID' },
  takesKey: true,
  isBeyondSpecification: true,
  title: 'Debit a bank account',
  description:
    'Takes money from a bank account by ACH. Approved means recorded: the debit goes to the bank with ' +
    'the next settlement of the merchant record, and the bank of the payer may return it some days later, ' +
    'which the event ach.returned tells. The account number is kept encrypted and never shown.',
  request: BankChargeRequest,
  result: Type.Object({
    ...bankMembers,
    uniqueTranID: WireText(24, 'A reference of ours that no other transaction has.'),
  }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'key_running',
    'key_reused',
    'missing_member',
    'value_out_of_range',
    'merchant_not_found',
    'ach_not_taken',
    'look_alike',
    'not_charged',
    'outcome_unknown',
    'charge_reversed',
  ],
  example: {
    request: {
      ChargeDetails: {
        AccountNumber: '000123456789',
        RoutingNumber: '110000000',
        Amount: 25.5,
        AccountType: 1,
      },
      AcctHolder: { Firstname: 'Ada', Lastname: 'Miller' },
      PurchItems: { ServiceDescrip: 'Two books', ClientRefID: 'order-1002', RPGUID: 'basket-8' },
      MerchID: 1,
    },
    result: { AuthID: '482915', TxApproved: true, TxID: 57, uniqueTranID: '5d0c1f2e9b7a4836d1c2e3f4' },
    message: 'APPROVED 482915',
  },
  fromWire: chargeFromWire,
  toWire: (debit: Attempt) => ({
    message: `APPROVED ${debit.approvalCode}`,
    members: { ...bankMembersOf(debit), uniqueTranID: debit.ref },
  }),
  refusedToWire: (debit: Attempt | null) => ({ ...refusedBankMembers(debit), uniqueTranID: '' }),
})

function chargeFromWire(body: WireOf<typeof BankChargeRequest>): Result<BankCharge, RequestFault> {
  const { AccountNumber, RoutingNumber, Amount, AccountType } = body.ChargeDetails
  const number = BankAccountNumber.parse(AccountNumber)
  if (!number) return outOfRange('ChargeDetails.AccountNumber must have 4 to 17 digits')
  if (!isRoutingNumber(RoutingNumber))
    return outOfRange('ChargeDetails.RoutingNumber is no routing number: its check digit is wrong')
  const holder = holderFromWire(body.AcctHolder)
  if (holder.lastName === '' && holder.firstName === '')
    return refuse('missing_member', { problem: 'AcctHolder.Lastname is missing' })
  return ok({
    merchant: merchantNumber(body.MerchID),
    number,
    routingNumber: RoutingNumber,
    type: AccountType % 2 === 1 ? 'checking' : 'savings',
    isBusiness: AccountType > 2,
    amount: { amount: exact(Amount), member: 'ChargeDetails.Amount' },
    holder,
    customer: personFromWire(body.EndCustomer),
    service: body.PurchItems?.ServiceDescrip ?? '',
    clientRef: body.PurchItems?.ClientRefID ?? '',
    guid: body.PurchItems?.RPGUID ?? '',
  })
}
