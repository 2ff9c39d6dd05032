import { Type } from 'typebox'
import type { StoredCardCharge } from '#capabilities/consents/charge-stored-card.operation.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { AlternateRecord, alternateFrom, ConsentNumber } from '#capabilities/consents/consent.wire.ts'
import { AmountsRequest, readAmounts } from '#capabilities/wire/amounts.wire.ts'
import { ChargeResult, chargeToWire, refusedCharge } from '#capabilities/wire/charge.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireReference, WireText } from '#capabilities/wire/scalars.wire.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { ok } from '#kernel/result.ts'

const PurchaseDetails = Type.Object(
  {
    ServiceDescrip: Type.Optional(WireReference(200, 'What is paid for.')),
    ClientRefID: Type.Optional(WireReference(75, 'Reference of your own.')),
    RPGUID: Type.Optional(WireReference(75, 'Reference of your own.')),
  },
  { title: 'PurchaseDetails', description: 'Empty texts mean the values stored with the consent.' },
)

export const chargeStoredCardContract = defineContract({
  path: 'ConsentAnnual/ChargeStoredCard',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ConsentAnnual_ChargeStoredCardResult',
  access: 'session',
  load: 'money',
  currencyOf: { kind: 'consent', path: 'ConsentID' },
  takesKey: true,
  asksKeyLate: true,
  isBeyondSpecification: false,
  title: 'Charge a stored card',
  description:
    'Charges the card of a consent, within its limits. A fee may be asked for where the merchant record ' +
    'has fees configured, up to the one that CalcFees tells; a larger one is clamped, and ApprovedAmounts ' +
    'says what was charged, FeeNote why. Send an Idempotency-Key, so that a charge can be repeated without being made twice.',
  request: Type.Object({
    ConsentID: ConsentNumber,
    AlternateMerchID: Type.Optional(AlternateRecord),
    Amounts: AmountsRequest,
    purchDetails: Type.Optional(PurchaseDetails),
    User: Type.Optional(WireText(75, 'The person who initiates the sale.')),
  }),
  result: ChargeResult,
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'card_testing',
    'key_running',
    'key_reused',
    'consent_not_found',
    'consent_cancelled',
    'consent_not_begun',
    'consent_expired',
    'card_expired',
    'over_limit_per_charge',
    'over_lifetime_limit',
    'merchant_not_found',
    'alternate_not_allowed',
    'currency_differs',
    'fees_not_configured',
    'total_mismatch',
    'value_out_of_range',
    'look_alike',
    'not_charged',
    'outcome_unknown',
    'charge_reversed',
  ],
  example: {
    request: {
      ConsentID: 1,
      AlternateMerchID: 0,
      Amounts: { BaseAmt: 10.1, TotalAmt: 10.1 },
      purchDetails: { ServiceDescrip: 'Order 1001', ClientRefID: '1001', RPGUID: '' },
      User: 'Ann',
    },
    result: {
      AVSresult: 'Y',
      CVVresult: '',
      AcquirerResponseEMV: null,
      IsPartialApproval: false,
      RequiresVoiceAuth: false,
      ResponseApprovedAmount: 10.1,
      ResponseAuthorizedAmount: 10.1,
      ResponseBalanceAmount: 0,
      TxApproved: true,
      TxID: 57,
      TxnCode: 'QKZVHT',
      ApprovedAmounts: { BaseAmt: 10.1, Surcharge: 0, TotalAmt: 10.1 },
      FeeNote: '',
    },
    message: 'APPROVED QKZVHT',
  },
  fromWire: ({ ConsentID, AlternateMerchID, Amounts, purchDetails, User }) => {
    const amounts = readAmounts(Amounts, 'Amounts')
    if (!amounts.ok) return amounts
    return ok<StoredCardCharge>({
      consentId: consentId(BigInt(ConsentID)),
      alternate: alternateFrom(AlternateMerchID),
      amounts: amounts.value,
      service: purchDetails?.ServiceDescrip ?? '',
      clientRef: purchDetails?.ClientRefID ?? '',
      guid: purchDetails?.RPGUID ?? '',
      user: User ?? '',
    })
  },
  toWire: (attempt: Attempt) => chargeToWire(attempt),
  refusedToWire: (attempt: Attempt | null) => refusedCharge(attempt),
})
