// Which capability may import which. Whatever is not written here is not allowed; tools/tidy checks it.
export const slices = {
  'bank-debits': ['settlement'],
  consents: [],
  disputes: [],
  forms: ['bank-debits', 'consents', 'receipts'],
  receipts: [],
  reconciliation: [],
  recurring: ['consents'],
  sales: [],
  sandbox: ['consents', 'recurring', 'sessions', 'settlement'],
  search: ['recurring', 'settlement'],
  sessions: [],
  settlement: [],
} as const satisfies Record<string, readonly string[]>
