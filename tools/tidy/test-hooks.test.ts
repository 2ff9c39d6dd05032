import { testRule } from './rule-cases.ts'
import { checkTestHooks } from './test-hooks.ts'

testRule(checkTestHooks, [
  {
    sentence: 'hooks inside a describe and once-only hooks are fine',
    files: { 'src/a.test.ts': "before(open)\ndescribe('a', () => {\n  beforeEach(open)\n})" },
  },
  {
    sentence: 'a hook around every test of the process is a breach',
    files: { 'src/a.test.ts': 'beforeEach(open)\nafterEach(close)' },
    says: [/a.test.ts:1 .*all files/, /a.test.ts:2 /],
  },
])
