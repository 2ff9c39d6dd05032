import { Type } from 'typebox'
import type { CalculatedFees, FeeQuestion } from '#capabilities/consents/calculate-fees.operation.ts'
import { AlternateRecord, alternateFrom, ConsentNumber } from '#capabilities/consents/consent.wire.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { AmountsResult, amountsToWire, exact, noAmounts } from '#capabilities/wire/amounts.wire.ts'
import { FeeNote } from '#capabilities/wire/charge.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { outOfRange, WireAmount } from '#capabilities/wire/scalars.wire.ts'
import { explain } from '#engine/fees/fee-decision.ts'
import { ok } from '#kernel/result.ts'

export const calculateFeesContract = defineContract({
  path: 'ConsentAnnual/CalcFees',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ConsentAnnual_CalcFeesResult',
  access: 'session',
  load: 'query',
  currencyOf: { kind: 'consent', path: 'ConsentID' },
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Calculate fees for a stored card',
  description:
    'Tells which fee a charge of the stored card would carry. It depends on the merchant record that ' +
    'collects the funds and on the type of the card; FeeNote says why. Show it at the point of sale, so that the cardholder can refuse.',
  request: Type.Object({
    ConsentID: ConsentNumber,
    Amount: WireAmount('Base amount, before fees.'),
    AlternateMerchID: Type.Optional(AlternateRecord),
  }),
  result: Type.Object({ Amounts: AmountsResult, FeeNote }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'consent_not_found',
    'consent_cancelled',
    'merchant_not_found',
    'alternate_not_allowed',
    'currency_differs',
    'value_out_of_range',
  ],
  example: {
    request: { ConsentID: 7, Amount: 100, AlternateMerchID: 0 },
    result: {
      Amounts: { BaseAmt: 100, Surcharge: 3, TotalAmt: 103 },
      FeeNote: 'Surcharge 3 %: within the cap Visa 3 %.',
    },
    message: 'Fees calculated for CREDIT Card 4111XXXXXXXX1111',
  },
  fromWire: ({ ConsentID, Amount, AlternateMerchID }) => {
    if (Amount === 0) return outOfRange('Amount must be more than 0')
    return ok<FeeQuestion>({
      consentId: consentId(BigInt(ConsentID)),
      base: { amount: exact(Amount), member: 'Amount' },
      alternate: alternateFrom(AlternateMerchID),
    })
  },
  toWire: ({ card, quote }: CalculatedFees) => {
    const { firstSix, lastFour, numberLength, kind } = card
    const masked = `${firstSix.slice(0, 4)}${'X'.repeat(numberLength - 8)}${lastFour}`
    return {
      message: `Fees calculated for ${kind.toUpperCase()} Card ${masked}`,
      members: { Amounts: amountsToWire(quote), FeeNote: explain(quote.decision) },
    }
  },
  refusedToWire: () => ({ Amounts: noAmounts, FeeNote: '' }),
})
