import { testRule } from './rule-cases.ts'
import { checkSelfReference } from './self-reference.ts'

// Planted words are built from pieces, so that this file keeps the rule it tests.
const folder = (name: string) => `/${name}/`
const word = 'registry'
const host = [word, 'npmjs', 'org'].join('.')

testRule(checkSelfReference, [
  {
    sentence: 'paths of the project, addresses and code are fine',
    files: {
      'docs/a.md': `see src${folder('work')} and https://example.org${folder('root')}x`,
      'src/platform/metrics.ts': 'registry.metrics().length',
      '.npmrc': 'omit-lockfile-registry-resolved=true\n',
      'package-lock.json': `{\n  "node_modules/${host}": {\n  }\n}`,
    },
  },
  {
    sentence: 'a path of one machine is a breach in any file',
    files: { 'docs/a.md': `one\ncd ${folder('work')}main`, 'db/x.sql': `-- '${folder('root')}'` },
    says: [/a.md:2 .*is a path of one machine/, /x.sql:1 .*is a path of one machine/],
  },
  {
    sentence: 'a package registry is a breach',
    files: { 'docs/a.md': `from ${host}`, 'docs/b.md': `http://${word}.local:4873/x` },
    says: [/a.md:1 .*is a package registry/, /b.md:1 .*is a package registry/],
  },
  {
    sentence: 'a command that may fetch a package of strangers is a breach',
    files: { 'docs/a.md': `one\n${['np', 'x'].join('')} tillgate help` },
    says: [/a.md:2 .*may fetch a package of strangers/],
  },
  {
    sentence: 'a lock file or settings bound to one registry are breaches',
    files: { 'package-lock.json': '{\n  "resolved": "x"\n}', '.npmrc': `a=b\n${word}=http://x\n` },
    says: [/package-lock.json:2 /, /.npmrc:2 .*remove the line/],
  },
])
