import { nameOf } from './project.ts'
import type { Breach, Project } from './project.ts'

const folder = 'db/migrations/'
const wellNamed = /^(\d{4})_[a-z0-9]+(?:_[a-z0-9]+)*\.sql$/

// Migrations are numbered from 0001 without gaps, and each opens by saying why it exists and what it locks.
export function checkMigrations(project: Project): Breach[] {
  const files = project.files.filter(({ path }) => path.startsWith(folder))
  const badlyNamed = files.filter(({ path }) => !wellNamed.test(nameOf(path)))
  const numbered = files.filter(({ path }) => wellNamed.test(nameOf(path)))
  const silent = numbered.filter(({ text }) => !text.startsWith('--'))
  const inOrder = numbered.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const outOfOrder = inOrder.filter(({ path }, at) => Number(nameOf(path).slice(0, 4)) !== at + 1)
  return [
    ...badlyNamed.map(({ path }) => breach(path, 'is not named NNNN_what_it_does.sql; rename it')),
    ...silent.map(({ path }) => breach(path, 'must open with a -- comment that says why and what it locks')),
    ...outOfOrder.map(({ path }) =>
      breach(path, 'leaves a gap or repeats a number; take the next free number'),
    ),
  ]
}

function breach(path: string, message: string): Breach {
  return { path, line: 1, rule: 'migrations', message }
}
