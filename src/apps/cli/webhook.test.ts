import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookCommands } from '#apps/cli/webhook.ts'
import { makeAccount, useWorld } from '../../../test/support/session-world.ts'
import { say } from '../../../test/support/say-command.ts'
import { openReceiver } from '../../../test/support/webhook-receiver.ts'
import { addEndpoint, dispatch, happen } from '../../../test/support/webhook-world.ts'

const world = useWorld()

test('where nothing is undelivered, nothing is announced to be sent again', async () => {
  const needs = world()
  const { accountCode: account } = await makeAccount(needs)
  const replay = await say(webhookCommands['replay'], { needs, subject: 'dead', texts: { account } })
  assert.deepEqual(replay.rows, [{ replayed: 0 }])
  assert.equal(replay.note, 'Nothing is sent again: to addresses that are active nothing is undelivered.')
})

test('a day is sent again as a whole, and a day without events says that there is nothing', async (t) => {
  const needs = world()
  const { accountId, accountCode: account } = await makeAccount(needs)
  const { url } = await openReceiver(t)
  const endpoint = await addEndpoint(needs, { accountId, url })
  await happen({ needs, accountId, ...endpoint })
  await dispatch(needs)
  const today = needs.clock.now().toZonedDateTimeISO('UTC').toPlainDate()
  const replay = async (day: string) => {
    const texts = { account, webhook: String(endpoint.endpointId), from: day, to: day }
    return say(webhookCommands['replay'], { needs, subject: 'range', texts })
  }
  const { rows, note } = await replay(today.toString())
  assert.deepEqual(rows, [{ replayed: 1 }])
  assert.match(note ?? '', /^They are sent within seconds/)
  const before = await replay(today.subtract({ days: 1 }).toString())
  assert.deepEqual(before.rows, [{ replayed: 0 }])
  assert.match(before.note ?? '', /^Nothing is sent again: that address was to be told of nothing/)
})
