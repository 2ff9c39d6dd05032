import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'

// Webhooks and events.
export const webhookErrors = {
  webhook_not_found: {
    code: 6901,
    severity: 'LOW',
    text: 'There is no such webhook',
    cause:
      'The id belongs to no webhook of this account, or the token is for a merchant record and it is not of that one.',
    remedy: 'Webhook/List shows them.',
  },
  webhook_address_refused: {
    code: 6902,
    severity: 'LOW',
    text: 'URL {problem}',
    cause: 'Nothing is sent to such an address. Live needs https, port 443 or 8443 and a public host name.',
    remedy: 'Correct the address. The rules stand in docs/webhooks.md.',
    sample: { problem: 'must start with https://' },
  },
  webhook_exists: {
    code: 6903,
    severity: 'LOW',
    text: 'The account has an active webhook at that address already',
    cause: 'Every address is told of an event once.',
    remedy: 'Use the one that is there, or disable it first.',
  },
  too_many_webhooks: {
    code: 6904,
    severity: 'LOW',
    text: '{whose} has at most {limit} active webhooks',
    cause: 'Every event is sent to each of them.',
    remedy: 'Disable one that is no longer needed.',
    sample: { whose: 'An account', limit: 20 },
  },
} as const satisfies Record<string, ErrorEntry>
