import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'

// Who is calling, and whether they may. Clients of this API family repeat a sign-in that answers FunctionOk
// false, and lock themselves out; so a failed sign-in is an answer.
export const sessionErrors = {
  wrong_credentials: {
    code: 5001,
    severity: 'MEDIUM',
    text: 'The account code or the token is wrong',
    isAnswer: true,
    cause: 'There is no such pair of account code and token. Which of the two is wrong is not told.',
    remedy: 'Check both. Six failures in a row from one network lock that network out for 30 minutes.',
  },
  token_expired: {
    code: 5002,
    severity: 'MEDIUM',
    text: 'The token expired on {expiredOn}',
    isAnswer: true,
    cause: 'A token lives for two years.',
    remedy: 'Ask the operator for a new one: tillgate token issue.',
    sample: { expiredOn: '2028-11-15' },
  },
  account_closed: {
    code: 5003,
    severity: 'MEDIUM',
    text: 'The account is disabled',
    isAnswer: true,
    cause: 'The operator closed the account.',
    remedy: 'Ask the operator of this gateway.',
  },
  locked_out: {
    code: 5020,
    severity: 'MEDIUM',
    text: 'The account is locked out',
    isAnswer: true,
    cause: 'Too many failed sign-ins, or the operator locked the account.',
    remedy: 'Wait up to an hour, or ask the operator: tillgate account unlock.',
  },
  session_invalid: {
    code: 5030,
    severity: 'LOW',
    text: 'The session key is missing, unknown or expired',
    cause:
      'A session lives for 25 hours and ends early when its token is revoked or the account is locked or closed.',
    remedy:
      'Call Authenticate and send its SessKey in the header SessKey (over SOAP as the first parameter).',
  },
  session_elsewhere: {
    code: 5050,
    severity: 'MEDIUM',
    text: 'The session key belongs to another address',
    cause: 'The account binds sessions to the address that made them.',
    remedy: 'Call Authenticate from this address.',
  },
} as const satisfies Record<string, ErrorEntry>
