import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'

// International orders.
export const internationalErrors = {
  no_international_record: {
    code: 6501,
    severity: 'LOW',
    text: 'The account has no merchant record set up for international processing',
    cause: 'All its merchant records are domestic, or the token is issued for a domestic one.',
    remedy: 'Use the domestic calls, or ask the operator: tillgate merchant add --international.',
  },
  record_domestic: {
    code: 6502,
    severity: 'LOW',
    text: 'Merchant record {merchant} is not set up for international processing',
    cause: 'The call is about international orders and names a domestic merchant record.',
    remedy: 'Name an international record, or use the domestic call.',
    sample: { merchant: 1 },
  },
  token_not_found: {
    code: 6503,
    severity: 'LOW',
    text: 'There is no consent token {token}',
    cause: 'The account has no order with this Recurring_Token, or its payment was declined.',
    remedy: 'Send the Recurring_Token of an approved order whose payer agreed to keep the card.',
    sample: { token: '5f0c9c3e-7f5c-4c1e-9a55-0d9a3c6f2b11' },
  },
  order_not_open: {
    code: 6504,
    severity: 'LOW',
    text: 'Order {transaction} can be neither voided nor credited: {problem}',
    cause: 'Only a settled order that nobody else is voiding or crediting can be.',
    remedy: 'The text says why. What happens at this moment can be tried again.',
    sample: { transaction: '0e4cf0f5-7f0b-45a8-b5ab-3f0a5ef1a1d7', problem: 'it was declined' },
  },
  order_closed: {
    code: 6505,
    severity: 'LOW',
    text: 'The order is closed; nothing was charged',
    cause: 'It was paid, declined or given up meanwhile.',
    remedy: 'Look it up by Intl/QueryTransaction, and begin anew if it was not paid.',
  },
} as const satisfies Record<string, ErrorEntry>
