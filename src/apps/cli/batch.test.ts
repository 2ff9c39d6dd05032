import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchCommands } from '#apps/cli/batch.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, sell, settleAll, type Till } from '../../../test/support/till.ts'

const world = useWorld()

function show({ needs, account }: Till, subject: string) {
  const { run } = batchCommands['show'] ?? assert.fail('there is such a command')
  const options = { text: () => undefined, needText: () => account.accountCode, flag: () => undefined }
  return run({ context: needs, nodeFile: '', options, subject, second: '' })
}

async function settle(till: Till): Promise<string> {
  await sell(till, 10)
  return String((await settleAll(till)).batch['BatchLogID'])
}

test('a batch is shown by its id, and named by its number and record as well', async () => {
  const till = await openTill(world())
  const id = await settle(till)
  const { note } = await show(till, id)
  assert.equal(note, `Id ${id}, batch number 1 of merchant record 1: accepted, 1 transaction, 10.00 USD.`)
})

test('whoever gives the number of a batch in place of its id is told the id', async () => {
  const needs = world()
  // Ids count for all accounts, so that those of the second one are ahead of its numbers.
  await settle(await openTill(needs))
  const till = await openTill(needs)
  const id = await settle(till)
  await assert.rejects(show(till, '1'), {
    message: `The account has no batch with the id 1; batch number 1 of merchant record 1 has the id ${id}.`,
  })
  for (const none of ['999999', '999999999999999']) {
    await assert.rejects(show(till, none), {
      message: `The account has no batch with the id ${none}. tillgate batch list shows them.`,
    })
  }
  assert.match(batchCommands['show']?.summary ?? '', /ID is its id in tillgate batch list, not its number$/)
})
