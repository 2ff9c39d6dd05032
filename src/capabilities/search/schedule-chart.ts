import type { Chart } from '#capabilities/search/chart.ts'

export type ScheduleField =
  | 'consent'
  | 'status'
  | 'dueOn'
  | 'lastName'
  | 'merchant'
  | 'lastFour'
  | 'schedule'
  | 'type'

// Query/RecurringSchedule. A payment whose outcome is not known yet counts as scheduled.
export const scheduleChart = {
  A: { field: 'consent', means: 'consent', kind: 'whole', isLed: true },
  B: {
    field: 'status',
    means: 'status',
    kind: 'word',
    words: { '-1': 'ALL', 1: ['scheduled', 'charging'], 2: ['paid'], 3: ['failed'], 4: ['cancelled'] },
  },
  C: { field: 'dueOn', means: 'due date', kind: 'date', isLed: true },
  D: { field: 'lastName', means: 'last name of the account holder', kind: 'text', isLed: true },
  E: { field: 'merchant', means: 'merchant record', kind: 'whole' },
  F: { field: 'lastFour', means: 'last four digits of the card', kind: 'label', length: 4 },
  G: { field: 'schedule', means: 'scheduled payment', kind: 'whole', isLed: true },
  H: {
    field: 'type',
    means: 'type',
    kind: 'word',
    words: { '-1': 'ALL', 3: ['R'], 4: ['S'] },
  },
} as const satisfies Chart<ScheduleField>
