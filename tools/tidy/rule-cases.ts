import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Project, Rule } from './project.ts'
import { printBreaches } from './project.ts'

// A rule is shown by small projects: the files, and what must be said about them. A good sample: nothing.
export type RuleCase = {
  readonly sentence: string
  readonly files: Readonly<Record<string, string>>
  readonly says?: readonly RegExp[]
}

function plant(files: Readonly<Record<string, string>>): Project {
  return { files: Object.entries(files).map(([path, text]) => ({ path, text })) }
}

export function testRule(check: Rule, cases: readonly RuleCase[]): void {
  for (const { sentence, files, says = [] } of cases) {
    test(sentence, () => {
      const breaches = check(plant(files))
      assert.equal(breaches.length, says.length, printBreaches(breaches))
      for (const [at, pattern] of says.entries())
        assert.match(printBreaches(breaches.slice(at, at + 1)), pattern)
    })
  }
}
