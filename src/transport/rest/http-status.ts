import type { ErrorName } from '#capabilities/wire/error-codes.ts'

// 200 whenever the call reached an operation, because clients of this API family read the envelope. Other
// statuses say that the request itself could not be served.
const statuses: Partial<Record<ErrorName, number>> = {
  malformed_request: 400,
  wrong_type: 400,
  missing_member: 400,
  value_out_of_range: 400,
  illegal_characters: 400,
  unknown_path: 404,
  method_not_allowed: 405,
  key_running: 409,
  too_large: 413,
  wrong_content_type: 415,
  wrong_encoding: 415,
  key_reused: 422,
  rate_limited: 429,
  card_testing: 429,
  fault: 500,
  busy: 503,
  paused: 503,
}

const unauthorized = new Set<ErrorName>([
  'wrong_credentials',
  'token_expired',
  'account_closed',
  'locked_out',
  'session_invalid',
  'session_elsewhere',
])

export type StatusStyle = 'family' | 'strict'

export function httpStatusOf(error: ErrorName | null, style: StatusStyle): number {
  if (error === null) return 200
  if (style === 'strict' && unauthorized.has(error)) return 401
  return statuses[error] ?? 200
}
