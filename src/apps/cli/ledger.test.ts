import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledgerCommands } from '#apps/cli/ledger.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { say } from '../../../test/support/say-command.ts'
import { openTill, sell } from '../../../test/support/till.ts'

const world = useWorld()

test('the books are told in money, and not in its smallest units', async () => {
  const needs = world()
  const till = await openTill(needs)
  await sell(till, 10.1)
  await sell(till, 20)
  const { rows } = await say(ledgerCommands['verify'], { needs })
  assert.deepEqual(rows, [
    { currency: 'USD', posted: '30.10', approved: '30.10', strayPostings: '0', verdict: 'ok' },
  ])
})
