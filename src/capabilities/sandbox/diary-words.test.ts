import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..', '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

// Whoever tells the diary something names its type, or that of the moment at which it is told.
test('the page of the sandbox names every word of the diary', () => {
  const sources = globSync('src/{engine,capabilities}/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map(read)
    .filter((source) => /DiaryEntry|DueMoment/.test(source))
  const words = new Set(sources.flatMap((source) => source.match(/(?<=')[a-z]+\.[a-z_]+(?=')/g) ?? []))
  assert(words.has('schedule.paid') && words.has('webhook.delivered'), 'words are found')
  const [, machine = ''] = read('docs/sandbox.md').split('## The time machine')
  assert.deepEqual(
    [...words].filter((word) => !machine.includes(`\`${word}\``)),
    [],
  )
})
