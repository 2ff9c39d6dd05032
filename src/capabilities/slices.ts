// Which capability may import which. Whatever is not written here is not allowed; tools/tidy checks it.
export const slices = {
  'bank-debits': ['settlement'],
  consents: [],
  receipts: [],
  reconciliation: [],
  sales: [],
  sandbox: ['consents', 'sessions', 'settlement'],
  sessions: [],
  settlement: [],
} as const satisfies Record<string, readonly string[]>
