import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchCommands } from '#apps/cli/batch.ts'
import { listTokens } from '#capabilities/sessions/revoke-token.operation.ts'
import { debit } from '../../../test/support/bank-world.ts'
import { say } from '../../../test/support/say-command.ts'
import { backUp, reverseAtBank } from '../../../test/support/restored-database.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, sell, settleAll, type Till } from '../../../test/support/till.ts'

const world = useWorld()

function ask({ needs, account }: Till, verb: string, subject = '') {
  const texts = { account: account.accountCode, reason: 'Restored to noon' }
  return say(batchCommands[verb], { needs, subject, texts })
}

const show = (till: Till, subject: string) => ask(till, 'show', subject)
const release = (till: Till, subject: string) => ask(till, 'release', subject)

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

test('a batch tells who has closed it by name, as everywhere else', async () => {
  const till = await openTill(world())
  await settle(till)
  const { rows } = await ask(till, 'list')
  const [user] = await listTokens(till.needs, till.account.accountId)
  assert.deepEqual(
    rows.map(({ by }) => by),
    [user?.alias],
  )
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

test('a batch that the acquirer will never accept is released, and shows by whom and why', async () => {
  const till = await openTill(world())
  await sell(till, 10)
  const restore = await backUp(till)
  await settleAll(till)
  await restore()
  await debit(till)
  const id = await settle(till)
  const { rows, note } = await release(till, id)
  assert.deepEqual(
    rows.map(({ state, transactions, net, by }) => [state, transactions, net, by === 'batch release']),
    [
      ['released', 3, '45.50 USD', false],
      ['accepted', 1, '10.00 USD', true],
    ],
  )
  assert.equal(
    note,
    'Released; recorded as settled in other batches: 1, given back to be settled: 2.\n' +
      'Of those, 1 go by a file for bank debits. ' +
      'If a file before had them already, void them before the next settlement.',
  )
  const [state, by, what] = ((await show(till, id)).note ?? '').split('\n')
  assert.match(state ?? '', /: released, 3 transactions, 45.50 USD.$/)
  assert.match(by ?? '', /^Released by \S.* on 2027-01-15T.*: Restored to noon$/)
  assert.equal(what, 'Recorded as settled in other batches: 1. Given back to be settled: 2.')
  await assert.rejects(release(till, id), { message: `Batch ${id} is not released: it is released already.` })
  const unknown = 'The account has no batch with the id 999999. tillgate batch list shows them.'
  await assert.rejects(release(till, '999999'), { message: unknown })
  await assert.rejects(release(till, 'x'), { message: 'x is no batch id.' })
})

test('whoever releases a batch is told what the bank has reversed', async () => {
  const till = await openTill(world())
  const gone = await sell(till, 10)
  await reverseAtBank(till, gone)
  const { note } = await release(till, await settle(till))
  assert.equal(
    note,
    'Released; recorded as settled in other batches: 0, given back to be settled: 2.\n' +
      `The bank has reversed what is open here: ${gone}. ` +
      'Void that before the next settlement, which is rejected otherwise.',
  )
})
