import { checkCardNumbers } from './card-numbers.ts'
import { testRule } from './rule-cases.ts'

// Built from pieces, so that this file keeps the rule it tests. The check digit is right.
const groups = ['4012', '8888', '8888', '1881']
const card = groups.join('')

testRule(checkCardNumbers, [
  {
    sentence: 'published test numbers, other long numbers and hashes are fine',
    files: {
      'test/a.ts':
        "const a = '4111111111111111'\nconst b = '4242 4242 4242 4242'\nconst c = 9007199254740991n",
      'docs/a.md': `sha256 ab${card}cdef0123456789abcdef`,
      'package-lock.json': `"version": "${card}"`,
    },
  },
  {
    sentence: 'a number that could be a real card is a breach in any file, in whatever shape',
    files: {
      'docs/a.md': `one\npay with ${card}.`,
      'test/b.ts': `const a = ${card}n\nconst b = '${groups.join(' ')}'\nconst c = '%B${card}^DOE'`,
    },
    says: [/a.md:2 .*'401288...' could be a real card; use a published/, /b.ts:1 /, /b.ts:2 /, /b.ts:3 /],
  },
])
