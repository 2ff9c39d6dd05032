import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formCommands } from '#apps/cli/form.ts'
import { say } from '../../../test/support/say-command.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

function explain(texts: Readonly<Record<string, string>>) {
  return say(formCommands['explain'], { needs: world(), texts })
}

test('options without any bit are explained in words, because a form takes them', async () => {
  const note =
    '--submission 0000 has no bit: the form takes a payment and then redirects to RedirectURL, ' +
    'or without one shows a success message; no match required.'
  assert.deepEqual(await explain({ submission: '0000' }), { rows: [], note })
  const visible = [{ option: 'visible', bit: 6, means: 'amount' }]
  assert.deepEqual(await explain({ visible: '0040', submission: '0000' }), { rows: visible, note })
  for (const option of ['visible', 'readonly', 'styles', 'features'])
    assert.match(
      (await explain({ [option]: '0' })).note ?? '',
      new RegExp(`^--${option} 0 has no bit: .+\\.$`),
    )
})
