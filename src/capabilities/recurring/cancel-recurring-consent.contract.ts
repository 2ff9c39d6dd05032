import { cancelling } from '#capabilities/consents/cancelled-consent.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'

export const cancelRecurringConsentContract = defineContract({
  ...cancelling,
  path: 'ConsentRecurring/Cancel',
  prefix: '/APIcardProcREST/v1.0.0/',
  literalPath: '/ICardProcess/ConsentRecurring_Cancel',
  resultKey: 'ConsentRecurring_CancelResult',
  access: 'session',
  load: 'change',
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Cancel a recurring consent',
  description:
    'Cancels the consent with all its scheduled payments and removes the card number. This cannot be ' +
    'undone. Also at /ICardProcess/ConsentRecurring_Cancel; SessKey may be a member of the body.',
  example: {
    request: { ConsentID: 22 },
    result: { CancelSuccess: true, CancelledConsentID: 22 },
    message: 'Successfully DISBALED ConsentID 22 : Card Number Removed',
  },
})
