import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test, type TestContext } from 'node:test'
import fastify from 'fastify'
import type { Sender } from '#capabilities/messages/sender.ts'
import { Secret } from '#kernel/secret.ts'
import { registerProvider } from '#transport/messages/provider-routes.ts'
import {
  deliver,
  messagesOf,
  mustQueue,
  newText,
  openDesk,
  queue,
  type MessageDesk,
  statesOf,
  withSenders,
} from '../../../test/support/message-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()
const token = 'provider-token'
const baseUrl = 'https://pay.example'
const recipient = '+12125550155'

describe('a provider of texts calls', () => {
  test('a text is delivered when it says so, and only with the right signature', async (t) => {
    const { desk, call } = await openDoor(t)
    await mustQueue(desk, newText(desk, { recipient }))
    await deliver(desk)
    const told = { MessageSid: 'SM-1', MessageStatus: 'delivered' }
    assert.equal((await call('/messages/status', told, 'AAAA')).statusCode, 403)
    assert.deepEqual(await statesOf(desk), ['sent'])
    assert.equal((await call('/messages/status', told)).statusCode, 200)
    assert.deepEqual(await statesOf(desk), ['delivered'])
  })

  test('STOP by way of the provider counts, is answered once, and its repeat changes nothing', async (t) => {
    const { desk, call } = await openDoor(t)
    await mustQueue(desk, newText(desk, { recipient }))
    const said = { MessageSid: 'SM-in-1', From: recipient, To: '+12125550100', Body: 'Stop' }
    assert.equal((await call('/messages/inbound', said, 'AAAA')).statusCode, 403)
    await mustQueue(desk, newText(desk, { recipient }))
    const heard = await call('/messages/inbound', said)
    assert.deepEqual([heard.statusCode, heard.body], [200, '<?xml version="1.0"?><Response/>'])
    await call('/messages/inbound', said)
    const refused = await queue(desk, newText(desk, { recipient }))
    assert.equal(!refused.ok && refused.refusal.kind, 'recipient_stopped')
    const replies = (await messagesOf(desk)).filter(({ purpose }) => purpose === 'reply')
    assert.equal(replies.length, 1)
    const started = { ...said, MessageSid: 'SM-in-2', Body: 'START', OptOutType: 'START' }
    await call('/messages/inbound', started)
    await mustQueue(desk, newText(desk, { recipient }))
    // The provider has answered that one by itself.
    assert.equal((await messagesOf(desk)).filter(({ purpose }) => purpose === 'reply').length, 1)
  })

  test('where no provider is set up nobody listens', async (t) => {
    const { app } = await openDoor(t, null)
    assert.equal((await app.inject({ method: 'POST', url: '/messages/status' })).statusCode, 404)
  })
})

type Fields = Readonly<Record<string, string>>

async function openDoor(t: TestContext, secret: string | null = token) {
  const desk = withSenders(await openDesk(world()), { text: takingSender })
  const app = fastify()
  t.after(() => app.close())
  const textApiToken = secret === null ? null : new Secret(secret)
  registerProvider(app, { context: { ...desk.needs, textApiToken }, baseUrl: () => baseUrl })
  const call = (path: string, fields: Fields, signature = signatureOf(path, fields)) =>
    app.inject({
      method: 'POST',
      url: path,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': signature,
      },
      payload: new URLSearchParams(fields).toString(),
    })
  return { app, call, desk } satisfies { desk: MessageDesk; app: unknown; call: unknown }
}

// Takes everything, and has given it a name before it is known.
const takingSender: Sender = {
  name: 'api',
  open: async () => ({ isOpen: true }),
  send: async () => ({ kind: 'sent', hasArrived: false, parts: [{ number: 1, ref: 'SM-1' }] }),
  close: async () => undefined,
}

function signatureOf(path: string, fields: Fields): string {
  const sorted = Object.keys(fields).toSorted()
  const signed = baseUrl + path + sorted.map((name) => `${name}${fields[name] ?? ''}`).join('')
  return createHmac('sha1', token).update(signed).digest('base64')
}
