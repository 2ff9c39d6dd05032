import type { Chart } from '#capabilities/search/chart.ts'
import type { TwoCharts } from '#capabilities/search/governing-chart.ts'

export type OrderField =
  | 'merchant'
  | 'status'
  | 'created'
  | 'lastName'
  | 'result'
  | 'transaction'
  | 'action'
  | 'firstName'
  | 'amount'
  | 'clientRef'
  | 'guid'
  | 'lastFour'
  | 'consent'

export type SecondOrderField =
  | Exclude<OrderField, 'result' | 'transaction' | 'action'>
  | 'lock'
  | 'record'
  | 'type'
  | 'approvalCode'
  | 'customerLastName'
  | 'customerFirstName'
  | 'origin'

const shared = {
  A: { field: 'merchant', means: 'merchant record', kind: 'whole' },
  C: { field: 'created', means: 'created on', kind: 'moment', isLed: true },
  D: { field: 'lastName', means: 'last name', kind: 'text', isLed: true },
  J: { field: 'firstName', means: 'first name', kind: 'text' },
  L: { field: 'amount', means: 'amount', kind: 'amount' },
  M: { field: 'clientRef', means: 'reference of the client', kind: 'text', isLed: true },
  N: { field: 'guid', means: 'second reference of the client', kind: 'text', isLed: true },
  Q: { field: 'lastFour', means: 'last four digits of the card', kind: 'label', length: 4, isLed: true },
} as const satisfies Chart<OrderField & SecondOrderField>

// Spec "Query value tables". PENDING stands there twice, and 3DS is seen in records but in no table.
const waiting = ['PENDING', '3DS']

const firstOrderChart = {
  ...shared,
  B: {
    field: 'status',
    means: 'status',
    kind: 'word',
    words: {
      '-1': 'ALL',
      1: waiting,
      2: ['REDIRECT'],
      3: ['SETTLED'],
      4: ['REVERSAL'],
      5: ['REFUND'],
      6: ['DECLINED'],
      7: waiting,
      8: ['CHARGEBACK'],
      9: ['VOID'],
    },
  },
  E: {
    field: 'result',
    means: 'result',
    kind: 'word',
    words: {
      '-1': 'ALL',
      1: ['SUCCESS'],
      2: ['DECLINED'],
      3: ['REDIRECT'],
      4: ['ACCEPTED'],
      5: ['ERROR'],
      6: ['UNDEFINED'],
    },
  },
  F: { field: 'transaction', means: 'transaction', kind: 'label', isLed: true },
  G: {
    field: 'action',
    means: 'action',
    kind: 'word',
    words: { '-1': 'ALL', 1: ['SALE'], 2: ['CREDITVOID'], 3: ['RECURRING_SALE'] },
  },
  W: { field: 'consent', means: 'consent, by its number or token', kind: 'id', isLed: true },
} as const satisfies Chart<OrderField>

const secondOrderChart = {
  ...shared,
  B: {
    field: 'status',
    means: 'status',
    kind: 'word',
    words: {
      '-1': 'ALL',
      1: [...waiting, 'REDIRECT'],
      2: ['SETTLED'],
      3: ['DECLINED'],
      4: ['REFUND', 'REVERSAL', 'CHARGEBACK'],
      5: ['VOID'],
    },
  },
  E: { field: 'lock', means: 'transaction lock', kind: 'label' },
  H: { field: 'record', means: 'number of the record', kind: 'whole', isLed: true },
  // Bank debits are never international.
  K: { field: 'type', means: 'transaction type', kind: 'word', words: { '-1': 'ALL', 1: [], 2: [] } },
  P: { field: 'consent', means: 'consent', kind: 'id', isLed: true },
  R: { field: 'approvalCode', means: 'approval code', kind: 'text' },
  S: { field: 'customerLastName', means: 'last name of the customer', kind: 'text' },
  T: { field: 'customerFirstName', means: 'first name of the customer', kind: 'text' },
  U: { field: 'origin', means: 'origin', kind: 'text' },
} as const satisfies Chart<SecondOrderField>

// Intl/QueryTransaction.
export const orderCharts = {
  first: firstOrderChart,
  second: secondOrderChart,
} as const satisfies TwoCharts<Chart<OrderField>, Chart<SecondOrderField>>
