import { Type } from 'typebox'
import { amountOrNone, ConsentNumber } from '#capabilities/consents/consent.wire.ts'
import {
  changeableMembers,
  changesFrom,
  leavesAsItIs,
  modifying,
} from '#capabilities/consents/modified-consent.wire.ts'
import type { RecurringChanges } from '#capabilities/recurring/modify-recurring-consent.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { LeavableAmount } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

const ConsentMods = Type.Object(
  {
    ...changeableMembers,
    PaymentAmt: Type.Optional(LeavableAmount('What each payment costs that is still scheduled.')),
  },
  { title: 'RecurringConsentMods', description: leavesAsItIs },
)

export const modifyRecurringConsentContract = defineContract({
  ...modifying,
  path: 'ConsentRecurring/Modify',
  prefix: '/APIcardProcREST/v1.0.0/',
  literalPath: '/ICardProcess/ConsentRecurring_Modify',
  resultKey: 'ConsentRecurring_ModifyResult',
  access: 'session',
  load: 'change',
  currencyOf: { kind: 'consent', path: 'ConsentID' },
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Modify a recurring consent',
  description:
    'Changes expiry and references of a recurring consent, and by PaymentAmt what its payments cost that ' +
    'are still scheduled; the stored card number stays. Also at /ICardProcess/ConsentRecurring_Modify; ' +
    'SessKey may be a member of the body.',
  request: Type.Object({ ConsentID: ConsentNumber, ConsentMods }),
  example: {
    request: { ConsentID: 22, ConsentMods: { ExpMonth: 11, ExpYear: 32, PaymentAmt: 35 } },
    result: { ModifySuccess: true },
    message: 'Success : Modified Consent ID : 22',
  },
  fromWire: ({ ConsentID, ConsentMods: mods }) => {
    const payment = amountOrNone(mods.PaymentAmt, 'ConsentMods.PaymentAmt')
    if (!payment.ok) return payment
    return ok<RecurringChanges>({ ...changesFrom(ConsentID, mods), payment: payment.value })
  },
})
