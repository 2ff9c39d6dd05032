import type { Chart } from '#capabilities/search/chart.ts'
import { transactionChart, type TransactionField } from '#capabilities/search/transaction-chart.ts'

export type BankTransactionField = Exclude<TransactionField, 'batch' | 'batchNumber'>

const { F: _batch, W: _batchNumber, ...shared } = transactionChart

// Query/ACHTransaction: the chart of card transactions without the letters for batches. Only the transaction
// and the day are found by an index.
export const bankTransactionChart = {
  ...shared,
  B: {
    ...shared.B,
    words: { '-1': 'ALL', 1: ['open'], 2: ['settled'], 3: ['failed'], 4: ['returned'], 5: ['void'] },
  },
  D: { field: 'lastName', means: 'last name of the account holder', kind: 'text' },
  K: { ...shared.K, words: { '-1': 'ALL', 1: ['debit'], 2: ['credit'] } },
  M: { field: 'clientRef', means: 'reference of the client', kind: 'text' },
  N: { field: 'guid', means: 'second reference of the client', kind: 'text' },
  P: { field: 'consent', means: 'consent', kind: 'id' },
  Q: { field: 'lastFour', means: 'last four digits of the account', kind: 'label', length: 4 },
  R: { field: 'approvalCode', means: 'authorization', kind: 'text' },
} as const satisfies Chart<BankTransactionField>
