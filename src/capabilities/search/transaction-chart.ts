import type { Chart } from '#capabilities/search/chart.ts'

export type TransactionField =
  | 'merchant'
  | 'status'
  | 'created'
  | 'lastName'
  | 'lock'
  | 'batch'
  | 'transaction'
  | 'firstName'
  | 'type'
  | 'amount'
  | 'clientRef'
  | 'guid'
  | 'consent'
  | 'lastFour'
  | 'approvalCode'
  | 'customerLastName'
  | 'customerFirstName'
  | 'origin'
  | 'batchNumber'

// Query/Transaction: the second chart of the specification, with the two letters for batches. A payment whose
// outcome is not known yet counts as open, because it may still become one.
export const transactionChart = {
  A: { field: 'merchant', means: 'merchant record', kind: 'whole' },
  B: {
    field: 'status',
    means: 'status',
    kind: 'word',
    words: { '-1': 'ALL', 1: ['open', 'pending'], 2: ['settled'], 3: ['failed'], 4: ['locked'], 5: ['void'] },
  },
  C: { field: 'created', means: 'created on', kind: 'moment', isLed: true },
  D: { field: 'lastName', means: 'last name of the account holder', kind: 'text', isLed: true },
  E: { field: 'lock', means: 'transaction lock', kind: 'label' },
  F: { field: 'batch', means: 'batch log', kind: 'whole', isLed: true },
  H: { field: 'transaction', means: 'transaction', kind: 'whole', isLed: true },
  J: { field: 'firstName', means: 'first name of the account holder', kind: 'text' },
  K: {
    field: 'type',
    means: 'transaction type',
    kind: 'word',
    words: { '-1': 'ALL', 1: ['verify'], 2: ['sale'], 3: [], 4: [], 5: [], 6: ['credit'] },
  },
  L: { field: 'amount', means: 'amount', kind: 'amount' },
  M: { field: 'clientRef', means: 'reference of the client', kind: 'text', isLed: true },
  N: { field: 'guid', means: 'second reference of the client', kind: 'text', isLed: true },
  P: { field: 'consent', means: 'consent', kind: 'id', isLed: true },
  Q: { field: 'lastFour', means: 'last four digits of the card', kind: 'label', length: 4, isLed: true },
  R: { field: 'approvalCode', means: 'approval code', kind: 'text' },
  S: { field: 'customerLastName', means: 'last name of the customer', kind: 'text' },
  T: { field: 'customerFirstName', means: 'first name of the customer', kind: 'text' },
  U: { field: 'origin', means: 'origin', kind: 'text' },
  W: { field: 'batchNumber', means: 'batch number', kind: 'whole', isLed: true },
} as const satisfies Chart<TransactionField>
