import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'

const anyBody = 'Send one JSON object in UTF-8, as in the sample of the operation.'

// What can be wrong with a request before its operation has seen it, and how the gateway itself can fail.
export const requestErrors = {
  malformed_request: {
    code: 4000,
    severity: 'LOW',
    text: 'The request cannot be read: {problem}',
    cause:
      'The body is not a JSON object, names a member twice, nests deeper than 32 levels or holds a number ' +
      'of over 15 digits.',
    remedy: anyBody,
    sample: { problem: 'it names "Token" twice' },
  },
  wrong_type: {
    code: 4001,
    severity: 'LOW',
    text: '{problem}',
    cause: 'A member has another type than the contract says: a text for a number, a number for a list.',
    remedy:
      'Send the member with the type that the operation documents. Amounts may also be numeric texts, and ' +
      'ids texts of digits.',
    sample: { problem: 'Token must be a text' },
  },
  missing_member: {
    code: 4002,
    severity: 'LOW',
    text: '{problem}',
    cause: 'A member that the operation cannot do without is absent or null.',
    remedy: 'Send the member that the text names.',
    sample: { problem: 'AcctCode is missing' },
  },
  value_out_of_range: {
    code: 4003,
    severity: 'LOW',
    text: '{problem}',
    cause:
      'A member has the right type but a value outside its range, length or form; or its name is a slip ' +
      'for another one; or it would change money in a way that the operation does not have; or a text ' +
      'contains a card number.',
    remedy:
      'Correct the member that the text names. Card numbers belong in AccountNumber only. If the ' +
      'references of a merchant record look like card numbers, the operator records why: tillgate merchant ' +
      'set --card-like-references.',
    sample: { problem: 'Token is longer than 75 characters' },
  },
  unknown_path: {
    code: 4004,
    severity: 'LOW',
    text: 'There is nothing at {path}{hint}',
    cause: 'The path belongs to no operation, or names another version than v1.0.0.',
    remedy: 'Compare the path with /docs.',
    sample: { path: '/APIcardProcREST/v2.0.0/Authenticate', hint: '; the only version is v1.0.0' },
  },
  method_not_allowed: {
    code: 4005,
    severity: 'LOW',
    text: '{method} is not possible here; use {allowed}',
    cause: 'Operations are called with POST, pages are read with GET.',
    remedy: 'Use the method that the text and the Allow header name.',
    sample: { method: 'GET', allowed: 'POST' },
  },
  too_large: {
    code: 4006,
    severity: 'LOW',
    text: 'The body is larger than {limit} bytes',
    cause: 'A body may have 256 KiB at the most.',
    remedy: 'Split the request.',
    sample: { limit: 262144 },
  },
  wrong_content_type: {
    code: 4007,
    severity: 'LOW',
    text: 'The content type must be {expected}',
    cause: 'The Content-Type header is missing or names something else.',
    remedy: 'Send Content-Type: application/json (for SOAP: text/xml or application/soap+xml).',
    sample: { expected: 'application/json' },
  },
  wrong_encoding: {
    code: 4008,
    severity: 'LOW',
    text: 'The body is not plain UTF-8',
    cause: 'The body has bytes that are no UTF-8, names another character set, or is compressed.',
    remedy: 'Send uncompressed UTF-8.',
  },
  rate_limited: {
    code: 4290,
    severity: 'LOW',
    text: 'Too many calls; try again in {seconds} s',
    cause: 'The account or the address made more calls in a short time than its limit allows.',
    remedy: 'Wait for the time that the Retry-After header names. The limits stand in docs/configuration.md.',
    sample: { seconds: 1 },
  },
  key_running: {
    code: 4091,
    severity: 'LOW',
    text: 'The call with this idempotency key is still running',
    cause:
      'The same Idempotency-Key was sent again while the first call has no answer yet, or goes on after it.',
    remedy:
      'Send it again after the time that the Retry-After header names, for a minute, and after a crash for ' +
      'two: you get the answer of the first. ' +
      'If that never left, this one is done. If the first is one payment, its TxID is in this answer.',
  },
  key_reused: {
    code: 4221,
    severity: 'LOW',
    text: 'The idempotency key belongs to another request',
    cause: 'The same Idempotency-Key was sent with a different body.',
    remedy:
      'A declined charge has used its key up as well: the next try needs a new one, such as ' +
      'order-1001-try-2. docs/reading-answers.md tells what to do after which answer.',
  },
  illegal_characters: {
    code: 7123,
    severity: 'LOW',
    text: '{member} contains illegal characters',
    cause:
      'A text contains control characters, an unpaired UTF-16 surrogate, or invisible marks that change ' +
      'the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069).',
    remedy: 'Remove them. Letters of every language are welcome.',
    sample: { member: 'AcctCode' },
  },
  fault: {
    code: 9000,
    severity: 'HIGH',
    text: 'Something broke on our side; fault {faultId}',
    cause: 'A fault of the gateway. The operator finds the details in the log under that id.',
    remedy: 'Nothing that was asked for can be taken as done. Look it up, or try again later.',
    sample: { faultId: 'kqzvhtrwxyabcdefghij' },
  },
  paused: {
    code: 9005,
    severity: 'HIGH',
    text: 'No money is moved until an operator confirms: {because}',
    cause: 'The database was restored, has lost payments or may be a copy, so charging could charge twice.',
    remedy: 'Nothing was done. Queries work. The operator compares with the bank and runs tillgate resume.',
    sample: { because: 'this node is not registered in the database, so one of the two may be a copy' },
  },
  busy: {
    code: 9001,
    severity: 'HIGH',
    text: 'The gateway is busy or its database does not answer; nothing was done',
    cause:
      'More calls than the machine can serve, or the database is down, restarting, too slow or out of disk.',
    remedy: 'Try again after the time that the Retry-After header names.',
  },
} as const satisfies Record<string, ErrorEntry>
