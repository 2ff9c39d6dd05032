import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { printBreaches } from './project.ts'
import { readProject } from './read-project.ts'
import { rules } from './rules.ts'

const project = await readProject(fileURLToPath(new URL('../../', import.meta.url)))

test('the project is read', () => {
  assert.ok(project.files.some(({ path }) => path === 'package.json'))
})

for (const { sentence, check } of rules) {
  test(sentence, () => {
    const breaches = check(project)
    if (breaches.length > 0) assert.fail(`${breaches.length} breaches:\n${printBreaches(breaches)}`)
  })
}
