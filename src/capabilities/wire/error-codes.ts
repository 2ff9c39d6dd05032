import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'
import { formErrors } from '#capabilities/wire/form-errors.ts'
import { internationalErrors } from '#capabilities/wire/international-errors.ts'
import { linkErrors } from '#capabilities/wire/link-errors.ts'
import { messageErrors } from '#capabilities/wire/message-errors.ts'
import { paymentErrors } from '#capabilities/wire/payment-errors.ts'
import { requestErrors } from '#capabilities/wire/request-errors.ts'
import { sandboxErrors } from '#capabilities/wire/sandbox-errors.ts'
import { searchErrors } from '#capabilities/wire/search-errors.ts'
import { sessionErrors } from '#capabilities/wire/session-errors.ts'
import { webhookErrors } from '#capabilities/wire/webhook-errors.ts'

// Every way in which a call can be refused, with its number on the wire. Known numbers of the API family
// are kept (5030, 5050, 6724, 7123, 55716). The compiler asks for a row whenever a slice invents a refusal.
// Blanks such as {member} are filled from the refusal's details.
export const errorCodes = {
  ...requestErrors,
  ...sessionErrors,
  ...paymentErrors,
  ...formErrors,
  ...internationalErrors,
  ...linkErrors,
  ...messageErrors,
  ...sandboxErrors,
  ...searchErrors,
  ...webhookErrors,
} as const satisfies Record<string, ErrorEntry>

export type ErrorName = keyof typeof errorCodes

export const errorNames = Object.keys(errorCodes) as readonly ErrorName[]

// What can be wrong with a request before its operation has seen it.
export type RequestFault =
  | 'wrong_type'
  | 'missing_member'
  | 'value_out_of_range'
  | 'illegal_characters'
  | 'invalid_card'
