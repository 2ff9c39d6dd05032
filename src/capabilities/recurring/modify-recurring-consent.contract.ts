import { Type } from 'typebox'
import { consentId } from '#capabilities/consents/consent.ts'
import { amountOrNone, ConsentNumber, numberOrNone, textOrNone } from '#capabilities/consents/consent.wire.ts'
import type { ModifiedConsent } from '#capabilities/consents/modify-annual-consent.operation.ts'
import type { RecurringChanges } from '#capabilities/recurring/modify-recurring-consent.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import {
  LeavableAmount,
  LeavableEmail,
  LeavableNumber,
  WireFlag,
  WireText,
} from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

const ConsentMods = Type.Object(
  {
    ExpMonth: Type.Optional(LeavableNumber(12, 'Month of expiry.')),
    ExpYear: Type.Optional(LeavableNumber(2_099, 'Year of expiry, two or four digits.')),
    Email: Type.Optional(LeavableEmail('E-mail of the payer.')),
    Zip: Type.Optional(WireText(20, 'Postal code of the payer.')),
    CustomerRefID: Type.Optional(WireText(75, 'Reference of your own.')),
    ServiceDescrip: Type.Optional(WireText(200, 'What is paid for.')),
    RPGUID: Type.Optional(WireText(75, 'Reference of your own.')),
    PaymentAmt: Type.Optional(LeavableAmount('What each payment costs that is still scheduled.')),
  },
  { title: 'RecurringConsentMods', description: 'An empty text, 0, -1 or nothing leaves a value as it is.' },
)

export const modifyRecurringConsentContract = defineContract({
  path: 'ConsentRecurring/Modify',
  prefix: '/APIcardProcREST/v1.0.0/',
  literalPath: '/ICardProcess/ConsentRecurring_Modify',
  resultKey: 'ConsentRecurring_ModifyResult',
  access: 'session',
  load: 'change',
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Modify a recurring consent',
  description:
    'Changes expiry and references of a recurring consent, and by PaymentAmt what its payments cost that ' +
    'are still scheduled; the stored card number stays. Also at /ICardProcess/ConsentRecurring_Modify; ' +
    'SessKey may be a member of the body.',
  request: Type.Object({ ConsentID: ConsentNumber, ConsentMods }),
  result: Type.Object({ ModifySuccess: WireFlag('The consent is changed.') }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'consent_not_found',
    'consent_cancelled',
    'invalid_card',
    'card_expired',
    'value_out_of_range',
  ],
  example: {
    request: { ConsentID: 22, ConsentMods: { ExpMonth: 11, ExpYear: 32, PaymentAmt: 35 } },
    result: { ModifySuccess: true },
    message: 'Success : Modified Consent ID : 22',
  },
  fromWire: ({ ConsentID, ConsentMods: mods }) => {
    const payment = amountOrNone(mods.PaymentAmt, 'ConsentMods.PaymentAmt')
    if (!payment.ok) return payment
    return ok<RecurringChanges>({
      consentId: consentId(BigInt(ConsentID)),
      expiryMonth: numberOrNone(mods.ExpMonth),
      expiryYear: numberOrNone(mods.ExpYear),
      expiryMembers: 'ConsentMods.ExpMonth and ConsentMods.ExpYear',
      email: textOrNone(mods.Email),
      zip: textOrNone(mods.Zip),
      customerRef: textOrNone(mods.CustomerRefID),
      service: textOrNone(mods.ServiceDescrip),
      guid: textOrNone(mods.RPGUID),
      payment: payment.value,
    })
  },
  toWire: ({ consentId: modified }: ModifiedConsent) => ({
    message: `Success : Modified Consent ID : ${modified}`,
    members: { ModifySuccess: true },
  }),
  refusedToWire: () => ({ ModifySuccess: false }),
})
