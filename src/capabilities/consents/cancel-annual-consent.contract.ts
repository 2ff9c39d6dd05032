import { cancelling } from '#capabilities/consents/cancelled-consent.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'

export const cancelAnnualConsentContract = defineContract({
  ...cancelling,
  path: 'ConsentAnnual/Cancel',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ConsentAnnual_CancelResult',
  access: 'session',
  load: 'change',
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Cancel a consent',
  description: 'Disables the consent and removes the card number. This cannot be undone.',
  example: {
    request: { ConsentID: 20 },
    result: { CancelSuccess: true, CancelledConsentID: 20 },
    message: 'Successfully DISBALED ConsentID 20 : Card Number Removed',
  },
})
