import { testRule } from './rule-cases.ts'
import { checkTime } from './time.ts'

testRule(checkTime, [
  {
    sentence: 'the clock, tests and tools may read the time',
    files: {
      'src/platform/clock.ts': 'Temporal.Now.instant()',
      'src/engine/fees/quote.test.ts': 'Date.now()',
      'tools/first-minute.ts': 'new Date()',
      'bench/run.ts': 'Math.random()',
      'src/platform/tasks/task-claim.store.ts': 'const a = `select now()`',
      'src/engine/fees/quote.ts': "// Date.now() is banned\nconst a = 'new Date()'\nconst b = clock.now()",
    },
  },
  {
    sentence: 'time and dice elsewhere are breaches',
    files: {
      'src/engine/fees/quote.ts': 'Date.now()\nnew Date(0)\nTemporal.Now.instant()\nMath.random()',
      'simulator/bank.ts': 'const a = `${new Date()}`',
    },
    says: [/quote.ts:1 .*'Date.now\('.*take the clock/, /:2 /, /:3 /, /:4 /, /bank.ts:1 /],
  },
  {
    sentence: 'a capability that dates something by real time is a breach',
    files: {
      'src/capabilities/sales/charge.operation.ts': 'needs.clock.now()\nneeds.accountClock.now(account)',
      'src/capabilities/sessions/sign-in.operation.ts': 'needs.clock.now()',
    },
    says: [/charge.operation.ts:1 .*ask accountClock/],
  },
  {
    sentence: 'SQL that reads a clock is a breach outside the queue',
    files: {
      'src/engine/payments/attempt.store.ts':
        "const a = `\n  select 1\n  where due_on <= now()`\nconst b = 'select current_timestamp'",
    },
    says: [/attempt.store.ts:3 .*SQL 'now\(\)'.*as a parameter/, /:4 .*current_timestamp/],
  },
])
