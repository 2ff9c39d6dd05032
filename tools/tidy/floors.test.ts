import { checkFloors } from './floors.ts'
import { testRule } from './rule-cases.ts'

testRule(checkFloors, [
  {
    sentence: 'imports that go down or stay are fine',
    files: {
      'src/apps/server.ts':
        "import { a } from '#transport/rest/routes.ts'\nimport { b } from '#kernel/money.ts'",
      'src/engine/fees/quote.ts': "import { a } from '#engine/fees/rule.ts'\nimport fs from 'node:fs'",
      'src/engine/acquirers/simulator.connector.ts': "import { a } from '../../../simulator/bank.ts'",
      'simulator/bank.ts': "import { a } from '#kernel/money.ts'\nimport { b } from './log.ts'",
      'tools/write-docs.ts': "import { a } from '#capabilities/operations.ts'",
    },
  },
  {
    sentence: 'an import that goes up is a breach, even of a type',
    files: { 'src/engine/fees/quote.ts': "import type { A } from '#capabilities/sales/sale.ts'" },
    says: [/quote.ts:1 .*engine lies below capabilities.*pass it in/],
  },
  {
    sentence: 'the kernel imports nothing of ours from outside src',
    files: { 'src/kernel/money.ts': "import { a } from '../../simulator/bank.ts'" },
    says: [/kernel imports nothing of ours/],
  },
  {
    sentence: 'a relative import of a file of src is a breach, also from tools',
    files: {
      'src/kernel/money.ts': "import { a } from './decimal.ts'",
      'tools/dump.ts': "import { a } from '../src/kernel/money.ts'",
    },
    says: [/money.ts:1 .*write '#kernel\/decimal.ts'/, /dump.ts:1 .*write '#kernel\/money.ts'/],
  },
  {
    sentence: 'src never imports tests, tools or the bench',
    files: { 'src/apps/server.ts': "import { a } from '../../test/support/start.ts'" },
    says: [/src never imports test\//],
  },
  {
    sentence: 'a test may import anything but is never imported',
    files: {
      'src/kernel/money.test.ts': "import { a } from '../../test/support/start.ts'",
      'test/journeys/pay.test.ts': "import { a } from '#kernel/money.test.ts'",
    },
    says: [/pay.test.ts:1 .*a test is never imported/],
  },
  {
    sentence: 'the simulator knows nothing of ours but the kernel',
    files: { 'simulator/bank.ts': "import { a } from '#platform/clock.ts'" },
    says: [/the simulator knows nothing of ours but the kernel/],
  },
  {
    sentence: 'a file of src that stands on no floor is a breach',
    files: { 'src/start.ts': '', 'src/attic/old.ts': '' },
    says: [/start.ts.*stands on no floor/, /old.ts.*stands on no floor/],
  },
])
