import { checkEdges } from './edges.ts'
import { testRule } from './rule-cases.ts'

const declare = (edges: string) => ({
  'src/capabilities/slices.ts': `type Slices = Record<string, readonly string[]>
    // Which slice may import which.
    export const slices = { ${edges} } as const satisfies Slices`,
})

testRule(checkEdges, [
  {
    sentence: 'declared edges that are used are fine, and lists import all slices',
    files: {
      ...declare("sandbox: ['sessions'], sessions: [], 'hosted-form': []"),
      'src/capabilities/operations.ts': "import { a } from '#capabilities/sandbox/seed.ts'",
      'src/capabilities/sandbox/seed.ts': "import type { A } from '#capabilities/sessions/open.ts'",
      'src/capabilities/sessions/open.ts': "import { a } from '#capabilities/wire/envelope.ts'",
      'src/capabilities/hosted-form/form.ts': '',
      'src/capabilities/hosted-form/form.test.ts': "import { a } from '#capabilities/sessions/open.ts'",
    },
  },
  {
    sentence: 'an undeclared edge is a breach, even of a type',
    files: {
      ...declare('sandbox: [], sessions: []'),
      'src/capabilities/sandbox/seed.ts': "import type { A } from '#capabilities/sessions/open.ts'",
      'src/capabilities/sessions/open.ts': '',
    },
    says: [/seed.ts:1 .*'sandbox' imports 'sessions' undeclared.*add 'sessions' to sandbox/],
  },
  {
    sentence: 'a slice that is not declared is a breach',
    files: { ...declare(''), 'src/capabilities/hosted-form/form.ts': '' },
    says: [/slice 'hosted-form' is not declared; declare it: 'hosted-form': \[\]/],
  },
  {
    sentence: 'without the declaration every slice is undeclared',
    files: { 'src/capabilities/sandbox/seed.ts': '' },
    says: [/slices.ts:1 .*'sandbox' is not declared/],
  },
  {
    sentence: 'an edge that nobody uses and a slice without a folder are breaches',
    files: {
      ...declare("sandbox: ['sessions'], sessions: [], sales: []"),
      'src/capabilities/sandbox/seed.ts': '',
      'src/capabilities/sandbox/seed.test.ts': "import { a } from '#capabilities/sessions/open.ts'",
      'src/capabilities/sessions/open.ts': '',
    },
    says: [/slices.ts:3 .*slice 'sales' has no folder/, /edge sandbox -> sessions is not used; remove it/],
  },
  {
    sentence: 'slices never import the lists, and wire imports no slice',
    files: {
      ...declare('sandbox: []'),
      'src/capabilities/sandbox/seed.ts': "import { a } from '#capabilities/operations.ts'",
      'src/capabilities/wire/envelope.ts': "import type { A } from '#capabilities/sandbox/seed.ts'",
    },
    says: [/seed.ts:1 .*imports the list/, /envelope.ts:1 .*wire is shared by all slices/],
  },
])
