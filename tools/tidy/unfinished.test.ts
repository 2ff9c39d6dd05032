import { testRule } from './rule-cases.ts'
import { checkUnfinished } from './unfinished.ts'

// Spelled in pieces, so that this file keeps the rule it tests.
const reminder = ['TO', 'DO'].join('')
const repair = ['FIX', 'ME'].join('')

testRule(checkUnfinished, [
  {
    sentence: 'reminders with an issue and prose about the word are fine',
    files: {
      'src/a.ts': `// ${reminder} #12: later\n// ${reminder}(#13) and ${repair}: #14`,
      'docs/style.md': `No \`${reminder}\` without an issue.`,
      'src/a.test.ts': "const a = 'test.only('",
      'src/b.ts': 'rows.skip(1)',
    },
  },
  {
    sentence: 'a reminder without an issue is a breach in any file',
    files: {
      'src/a.ts': `\n// ${reminder}: later`,
      'db/a.sql': `-- ${repair}`,
      'docs/a.md': `${reminder} later`,
    },
    says: [/a.ts:2 .*without an issue/, /a.sql:1 /, /a.md:1 /],
  },
  {
    sentence: 'tests that are left out are breaches',
    files: { 'src/a.test.ts': "test.only('a', b)\ndescribe.skip('c', d)" },
    says: [/a.test.ts:1 .*leaves tests out/, /a.test.ts:2 /],
  },
])
