// Which capability may import which. Whatever is not written here is not allowed; tools/tidy checks it.
export const slices = {
  consents: [],
  recurring: ['consents'],
  sales: [],
  sandbox: ['consents', 'recurring', 'sessions'],
  search: ['recurring'],
  sessions: [],
} as const satisfies Record<string, readonly string[]>
