import { Type } from 'typebox'
import type { ChargedOrder, TokenCharge } from '#capabilities/international/charge-consent-token.operation.ts'
import { exact, moneyText, moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { sandboxNotes } from '#capabilities/wire/charge.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireFilled } from '#capabilities/wire/published.wire.ts'
import { outOfRange, WireAmount, WireFlag, WireText } from '#capabilities/wire/scalars.wire.ts'
import { hasApproval } from '#engine/payments/attempt.ts'
import { declineText } from '#engine/payments/decline-codes.ts'
import { ok } from '#kernel/result.ts'

// Spec "International payment from consent".
export const chargeConsentTokenContract = defineContract({
  path: 'Intl/ProcPayment',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Intl_ProcPaymentResult',
  access: 'session',
  load: 'money',
  currencyOf: { kind: 'token', path: 'TokenID' },
  takesKey: true,
  isBeyondSpecification: false,
  title: 'Charge a consent token',
  description:
    'Charges the card that a payer agreed to keep with an international order. TokenID is the ' +
    "Recurring_Token of that order; the amount is in the currency of its merchant record. The consent's " +
    'limits count. The charge is an order of its own with Action RECURRING_SALE.',
  request: Type.Object({
    TokenID: WireFilled(75, 'The consent token.'),
    ChargeAmt: WireAmount('The amount to charge.'),
  }),
  result: Type.Object({
    AuthorizedAmt: Type.Number({ description: 'What was approved; 0 when nothing was.' }),
    TransID: WireText(36, 'The transaction; empty when nothing was recorded.'),
    TxApproved: WireFlag('Approved.'),
    TxnCode: WireText(12, 'The approval code, or the decline code.'),
  }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'card_testing',
    'key_running',
    'key_reused',
    'value_out_of_range',
    'no_international_record',
    'token_not_found',
    'consent_not_found',
    'consent_cancelled',
    'consent_not_begun',
    'consent_expired',
    'over_limit_per_charge',
    'over_lifetime_limit',
    'card_expired',
    'fees_not_configured',
    'total_mismatch',
    'merchant_not_found',
    'alternate_not_allowed',
    'currency_differs',
    'not_charged',
    'outcome_unknown',
    'charge_reversed',
  ],
  example: {
    request: { TokenID: '5f0c9c3e-7f5c-4c1e-9a55-0d9a3c6f2b11', ChargeAmt: 5 },
    result: {
      AuthorizedAmt: 5,
      TransID: '0e4cf0f5-7f0b-45a8-b5ab-3f0a5ef1a1d7',
      TxApproved: true,
      TxnCode: 'QKZVHT',
    },
    message: 'Successfully charged Consent 5f0c9c3e-7f5c-4c1e-9a55-0d9a3c6f2b11 For €5.00',
  },
  fromWire: ({ TokenID, ChargeAmt }) => {
    if (TokenID === '') return outOfRange('TokenID is empty')
    if (ChargeAmt === 0) return outOfRange('ChargeAmt must be more than 0')
    return ok<TokenCharge>({ token: TokenID, amount: { amount: exact(ChargeAmt), member: 'ChargeAmt' } })
  },
  toWire: ({ token, transactionId, charge }: ChargedOrder) => ({
    message: hasApproval(charge.state)
      ? `Successfully charged Consent ${token} For ${moneyText(charge.approved.total)}`
      : declineText(charge.resultCode),
    members: {
      AuthorizedAmt: hasApproval(charge.state) ? moneyToWire(charge.approved.total) : 0,
      TransID: transactionId,
      TxApproved: hasApproval(charge.state),
      TxnCode: charge.resultCode,
    },
    notes: sandboxNotes(charge),
  }),
  refusedToWire: (known: Pick<ChargedOrder, 'transactionId'> | null) => ({
    AuthorizedAmt: 0,
    TransID: known?.transactionId ?? '',
    TxApproved: false,
    TxnCode: '',
  }),
})
