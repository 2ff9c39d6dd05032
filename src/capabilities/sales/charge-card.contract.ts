import { Type } from 'typebox'
import type { CardCharge } from '#capabilities/sales/charge-card.operation.ts'
import { AmountsRequest, readAmounts } from '#capabilities/wire/amounts.wire.ts'
import { cardFromWire, CardInfoRequest } from '#capabilities/wire/card-info.wire.ts'
import { ChargeResult, chargeToWire, refusedCharge } from '#capabilities/wire/charge.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { holderFromWire, personFromWire, PersonRequest } from '#capabilities/wire/person.wire.ts'
import { WireId, type WireOf, WireReference, WireText } from '#capabilities/wire/scalars.wire.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { ok, type Result } from '#kernel/result.ts'

const PurchaseItems = Type.Object(
  {
    ServiceDescrip: Type.Optional(WireReference(200, 'What is paid for.')),
    ClientRefID: Type.Optional(WireReference(75, 'Your own reference.')),
    RPGUID: Type.Optional(WireReference(75, 'Another reference of yours.')),
  },
  { title: 'PurchItems' },
)

const ChargeRequest = Type.Object({
  ccCardInfo: CardInfoRequest,
  AcctHolder: Type.Optional(PersonRequest),
  EndCustomer: Type.Optional(PersonRequest),
  Amounts: AmountsRequest,
  PurchItems: Type.Optional(PurchaseItems),
  MerchID: WireId('The merchant record that charges.'),
  User: Type.Optional(WireText(75, 'The person who makes the sale, recorded as claimed.')),
})

export const chargeCardContract = defineContract({
  path: 'CardSale/Manual',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'CreditCardSale_ManualResult',
  access: 'session',
  load: 'money',
  currencyOf: { kind: 'record', path: 'MerchID' },
  takesKey: true,
  asksKeyLate: true,
  isBeyondSpecification: true,
  title: 'Charge a card',
  description:
    'Charges a card whose number is typed in. The number and the security code are used once and never ' +
    'stored. Send an Idempotency-Key: then a call whose answer was lost can be sent again without charging ' +
    'twice. Without one, a charge whose answer never came is taken back.',
  request: ChargeRequest,
  result: ChargeResult,
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'card_testing',
    'key_running',
    'key_reused',
    'value_out_of_range',
    'invalid_card',
    'merchant_not_found',
    'card_expired',
    'fees_not_configured',
    'total_mismatch',
    'look_alike',
    'not_charged',
    'outcome_unknown',
    'charge_reversed',
  ],
  example: {
    request: {
      ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030, CSV: '123' },
      AcctHolder: {
        Firstname: 'Ada',
        Lastname: 'Miller',
        BillIngAdress: { Address1: '1 Main Street', City: 'Springfield', State: 'IL', ZIP: '62701' },
      },
      Amounts: { BaseAmt: 25.5, TotalAmt: 25.5 },
      PurchItems: { ServiceDescrip: 'Two books', ClientRefID: 'order-1001', RPGUID: 'basket-7' },
      MerchID: 1,
      User: 'Till 1',
    },
    result: {
      AVSresult: 'Y',
      CVVresult: 'M',
      AcquirerResponseEMV: null,
      IsPartialApproval: false,
      RequiresVoiceAuth: false,
      ResponseApprovedAmount: 25.5,
      ResponseAuthorizedAmount: 25.5,
      ResponseBalanceAmount: 0,
      TxApproved: true,
      TxID: 57,
      TxnCode: '482915',
      ApprovedAmounts: { BaseAmt: 25.5, Surcharge: 0, TotalAmt: 25.5 },
      FeeNote: '',
    },
    message: 'APPROVED 482915',
  },
  fromWire: chargeFromWire,
  toWire: chargeToWire,
  refusedToWire: refusedCharge,
})

function chargeFromWire(body: WireOf<typeof ChargeRequest>): Result<CardCharge, RequestFault> {
  const card = cardFromWire(body.ccCardInfo)
  if (!card.ok) return card
  const amounts = readAmounts(body.Amounts, 'Amounts')
  if (!amounts.ok) return amounts
  return ok({
    merchantNumber: merchantNumber(body.MerchID),
    card: card.value,
    holder: holderFromWire(body.AcctHolder),
    customer: personFromWire(body.EndCustomer),
    amounts: amounts.value,
    service: body.PurchItems?.ServiceDescrip ?? '',
    clientRef: body.PurchItems?.ClientRefID ?? '',
    guid: body.PurchItems?.RPGUID ?? '',
    user: body.User ?? '',
  })
}
