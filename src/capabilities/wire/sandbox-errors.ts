import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'

// What can be wrong with calls that exist in the sandbox only.
export const sandboxErrors = {
  clock_is_live: {
    code: 8801,
    severity: 'LOW',
    text: 'Live accounts go by real time; only the sandbox has clocks that can be moved',
    cause: 'The clock of an account was to be moved while the gateway runs in live mode.',
    remedy: 'Use a sandbox installation.',
  },
  clock_is_moving: {
    code: 8802,
    severity: 'LOW',
    text: 'The clock of this account is being moved to {to}',
    cause: 'Two moves of the same clock exclude each other.',
    remedy: 'Read the clock until movingTo is null, then ask again.',
    sample: { to: '2027-01-31T00:00:00.000Z' },
  },
  clock_goes_forward: {
    code: 8803,
    severity: 'LOW',
    text: '{member} must not lie before {now}, which the clock shows already',
    cause: 'A clock moves forwards only: what was recorded keeps its date.',
    remedy: 'Name a later moment, or make a new account, whose clock shows real time.',
    sample: { member: 'set', now: '2027-01-31T00:00:00.000Z' },
  },
  clock_too_far: {
    code: 8804,
    severity: 'LOW',
    text: '{member} must not lie more than {years} years ahead',
    cause: 'One call moves a clock by ten years at the most.',
    remedy: 'Move it several times.',
    sample: { member: 'advance', years: 10 },
  },
} as const satisfies Record<string, ErrorEntry>
