import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptCommands } from '#apps/cli/attempt.ts'
import type { Options } from '#apps/cli/command.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { charge, makeCallerOf, makeConsent } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { unanswer } from '../../../test/support/unanswer.ts'

const world = useWorld()

const options: Options = { text: () => undefined, needText: () => '', flag: () => undefined }

async function list(context: ReturnType<typeof world>) {
  const run = attemptCommands['list']?.run
  assert(run)
  return run({ context, nodeFile: '', options, subject: '', second: '' })
}

test('payments that were sent and never answered are told before anybody asks about them', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  await charge(needs, caller, await makeConsent(needs, caller), { Amounts: 5 })
  await unanswer(needs.db, needs.clock.now().add({ milliseconds: needs.patience.leaseMs }))
  assert.deepEqual(await list(needs), { rows: [] }, 'the bank may still answer')
  needs.clock.advance({ milliseconds: needs.patience.answerMs })
  const { rows, note } = await list(needs)
  assert.deepEqual(rows, [])
  assert.match(note ?? '', /^Beside these, 1 sent and never answered: .* 45 seconds after it was begun\.$/)
  needs.clock.advance({ milliseconds: needs.patience.leaseMs })
  await recoverAttempts(needs)
  const asked = await list(needs)
  assert.deepEqual([asked.rows[0]?.['state'], asked.note], ['reversal_due', undefined])
})
