import type { Chart } from '#capabilities/search/chart.ts'

export type BatchField = 'merchant' | 'status' | 'created' | 'batch' | 'batchNumber'

// Query/BatchLog. A batch that the acquirer has not answered yet is neither failed nor approved.
export const batchChart = {
  A: { field: 'merchant', means: 'merchant record', kind: 'whole' },
  B: {
    field: 'status',
    means: 'status',
    kind: 'word',
    words: { '-1': 'ALL', 1: ['rejected', 'released'], 2: ['accepted'] },
  },
  C: { field: 'created', means: 'created on', kind: 'moment', isLed: true },
  D: { field: 'batch', means: 'batch log', kind: 'whole', isLed: true },
  E: { field: 'batchNumber', means: 'batch number', kind: 'whole', isLed: true },
} as const satisfies Chart<BatchField>
