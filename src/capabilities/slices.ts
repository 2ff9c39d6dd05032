// Which capability may import which. Whatever is not written here is not allowed; tools/tidy checks it.
export const slices = {
  'bank-debits': ['settlement'],
  consents: [],
  disputes: [],
  forms: ['bank-debits', 'consents', 'international', 'messages', 'receipts', 'webhooks'],
  international: ['consents', 'sales', 'settlement'],
  links: ['consents', 'forms', 'messages'],
  messages: ['receipts'],
  receipts: [],
  reconciliation: [],
  recurring: ['consents'],
  sales: [],
  sandbox: ['consents', 'international', 'messages', 'recurring', 'sessions', 'settlement', 'webhooks'],
  search: ['recurring', 'settlement'],
  sessions: [],
  settlement: [],
  webhooks: [],
} as const satisfies Record<string, readonly string[]>
