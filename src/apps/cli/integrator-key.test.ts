import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integratorKeyCommands } from '#apps/cli/integrator-key.ts'

test('the help says that forms ordered with a disabled key still use it, as the page of forms does', () => {
  const { summary } = integratorKeyCommands['disable'] ?? assert.fail('there is such a command')
  assert.match(summary, /no new form may name it, those ordered with it still use it$/)
  assert.doesNotMatch(summary, /in plain/)
})
