import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookCommands } from '#apps/cli/webhook.ts'
import { fanOutEvents } from '#capabilities/webhooks/fan-out-events.operation.ts'
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

test('the log of what was sent says when it shows the newest alone, and how to see more', async () => {
  const needs = world()
  const { accountId, accountCode: account } = await makeAccount(needs)
  const endpoint = await addEndpoint(needs, { accountId, url: 'http://127.0.0.1:9/hook' })
  await happen({ needs, accountId, ...endpoint }, 21)
  await fanOutEvents(needs)
  const log = (texts: Readonly<Record<string, string>> = {}) =>
    say(webhookCommands['log'], { needs, texts: { account, ...texts } })
  const { rows, unshown } = await log()
  assert.equal(rows.length, 20)
  assert.equal(unshown, 'These are the newest 20; there are more, which --last NUMBER shows.')
  const whole = await log({ last: '21' })
  assert.deepEqual([whole.rows.length, whole.unshown], [21, undefined])
  const problem = { message: '--last is a number from 1 to 99999, not 0.' }
  await assert.rejects(log({ last: '0' }), problem)
})
