import type { Chart } from '#capabilities/search/chart.ts'

export type ConsentField =
  | 'merchant'
  | 'startsOn'
  | 'endsOn'
  | 'lastName'
  | 'created'
  | 'customerRef'
  | 'type'
  | 'enabled'
  | 'guid'
  | 'firstName'
  | 'consent'

// Query/ConsentAnnual and Query/ConsentRecurring.
export const consentChart = {
  A: { field: 'merchant', means: 'merchant record', kind: 'whole' },
  B: { field: 'startsOn', means: 'start date', kind: 'date' },
  C: { field: 'endsOn', means: 'end date', kind: 'date' },
  D: { field: 'lastName', means: 'last name of the account holder', kind: 'text', isLed: true },
  E: { field: 'created', means: 'created on', kind: 'moment', isLed: true },
  F: { field: 'customerRef', means: 'reference of the customer', kind: 'text', isLed: true },
  G: {
    field: 'type',
    means: 'type',
    kind: 'word',
    words: { '-1': 'ALL', 1: ['A'], 2: ['O'], 3: ['R'], 4: ['S'] },
  },
  H: { field: 'enabled', means: 'enabled', kind: 'word', words: { True: ['true'], False: ['false'] } },
  J: { field: 'guid', means: 'second reference of the client', kind: 'text', isLed: true },
  K: { field: 'firstName', means: 'first name of the account holder', kind: 'text' },
  Z: { field: 'consent', means: 'consent', kind: 'whole', isLed: true },
} as const satisfies Chart<ConsentField>
