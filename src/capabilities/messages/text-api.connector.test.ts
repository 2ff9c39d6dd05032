import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isSignedBy, receiptIn, textApiSender } from '#capabilities/messages/text-api.connector.ts'
import { Secret } from '#kernel/secret.ts'
import {
  deliver,
  messagesOf,
  mustQueue,
  newText,
  openDesk,
  queue,
  statesOf,
  withSenders,
} from '../../../test/support/message-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openReceiver } from '../../../test/support/webhook-receiver.ts'

const world = useWorld()
const account = 'ACtest'
const accountPath = '/2010-04-01/Accounts/ACtest'
const token = new Secret('provider-token')

describe('texts through a provider', () => {
  test('are asked for by a form, with the address that hears what became of them', async (t) => {
    const { desk, provider } = await openDoor(t, 201, { sid: 'SM1', status: 'queued' })
    await mustQueue(desk, newText(desk, { text: 'Zahlen Sie 5 € & mehr' }))
    await deliver(desk)
    const [asked] = provider.received
    assert.equal(asked?.path, '/2010-04-01/Accounts/ACtest/Messages.json')
    assert.equal(asked.headers.authorization, `Basic ${btoa('ACtest:provider-token')}`)
    assert.deepEqual(Object.fromEntries(new URLSearchParams(asked.body)), {
      To: '+12125550123',
      From: '+12125550100',
      Body: 'Zahlen Sie 5 € & mehr',
      StatusCallback: 'https://pay.example/messages/status',
    })
    assert.deepEqual(await statesOf(desk), ['sent'])
  })

  const outcomes: readonly [number, object | string, string][] = [
    [400, { code: 21_211, message: 'Invalid To' }, 'dead'],
    [403, { code: 21_408, message: 'No permission for the region' }, 'dead'],
    [400, { code: 21_606, message: 'The From number is none of yours' }, 'waiting'],
    [401, { code: 20_003, message: 'Authenticate' }, 'waiting'],
    [402, '', 'waiting'],
    [403, '', 'waiting'],
    [404, { code: 20_404, message: 'No such account' }, 'waiting'],
    [407, '', 'waiting'],
    [429, { message: 'Too many requests' }, 'waiting'],
    [503, '', 'waiting'],
    [500, '', 'unknown'],
    [502, '', 'unknown'],
    [504, '', 'unknown'],
    [201, 'no JSON at all', 'unknown'],
    [201, { sid: 5 }, 'unknown'],
    [302, '', 'unknown'],
  ]
  for (const [status, body, state] of outcomes) {
    test(`an answer of ${status} with ${JSON.stringify(body)} leaves the text ${state}`, async (t) => {
      const { desk } = await openDoor(t, status, body)
      await mustQueue(desk, newText(desk))
      await mustQueue(desk, newText(desk))
      await deliver(desk)
      // What is about this text says nothing of the next one; everything else lets that one wait.
      assert.deepEqual(await statesOf(desk), [state, state === 'dead' ? 'dead' : 'waiting'])
    })
  }

  test('a provider that fails is asked something harmless before it gets the next text', async (t) => {
    let status = 500
    const provider = await openReceiver(t, (_, response) =>
      response.writeHead(status).end(JSON.stringify({ sid: 'SM1' })),
    )
    const desk = await deskAt(provider.url)
    for (let at = 0; at < 3; at += 1) await mustQueue(desk, newText(desk))
    for (let round = 0; round < 30; round += 1) {
      await deliver(desk)
      desk.needs.clock.advance({ minutes: 16 })
    }
    assert.deepEqual(await statesOf(desk), ['unknown', 'waiting', 'waiting'])
    status = 201
    await deliver(desk)
    assert.deepEqual(await statesOf(desk), ['unknown', 'sent', 'sent'])
    const paths = new Set(provider.received.map(({ path }) => path))
    assert.deepEqual([...paths], [`${accountPath}/Messages.json`, `${accountPath}.json`])
  })

  test('a provider that hangs up may have taken the text, which is not sent again', async (t) => {
    const provider = await openReceiver(t, (_, response) => response.destroy())
    const desk = await deskAt(provider.url)
    await mustQueue(desk, newText(desk))
    await deliver(desk)
    desk.needs.clock.advance({ hours: 1 })
    await deliver(desk)
    assert.deepEqual([await statesOf(desk), provider.received.length], [['unknown'], 1])
  })

  test('one that says nothing is not waited for once the sender is closed', async (t) => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
    const provider = await openReceiver(t, () => asked())
    const desk = await deskAt(provider.url)
    await mustQueue(desk, newText(desk))
    const delivered = deliver(desk)
    await isAsked
    await desk.needs.senders.text.close()
    await delivered
    const [text] = await messagesOf(desk)
    assert.deepEqual([text?.state, text?.problem], ['unknown', 'Stopped before it was answered'])
  })

  test('one that is not there has taken nothing, and the text waits', async () => {
    const desk = await deskAt('http://127.0.0.1:1/hooks')
    await mustQueue(desk, newText(desk))
    await deliver(desk)
    assert.deepEqual(await statesOf(desk), ['waiting'])
  })

  test('a phone that has told the provider STOP is stopped here, too', async (t) => {
    const { desk } = await openDoor(t, 400, { code: 21_610, message: 'Unsubscribed recipient' })
    const recipient = '+12125550188'
    await mustQueue(desk, newText(desk, { recipient }))
    await deliver(desk)
    const refused = await queue(desk, newText(desk, { recipient }))
    assert.equal(!refused.ok && refused.refusal.kind, 'recipient_stopped')
    assert.match((await messagesOf(desk))[0]?.problem ?? '', /Unsubscribed recipient/)
  })
})

describe('what a provider tells', () => {
  // The sample of the provider's own documentation.
  const sample = {
    url: 'https://example.com/myapp.php?foo=1&bar=2',
    fields: new Map(
      Object.entries({
        Digits: '1234',
        To: '+18005551212',
        From: '+14158675310',
        Caller: '+14158675310',
        CallSid: 'CA1234567890ABCDE',
      }),
    ),
    signature: 'L/OH5YylLD5NRKLltdqwSvS0BnU=',
  }

  test('is believed when its signature is right, and otherwise not', () => {
    const secret = new Secret('12345')
    assert(isSignedBy(secret, sample))
    assert(!isSignedBy(new Secret('12346'), sample))
    assert(!isSignedBy(secret, { ...sample, url: 'https://example.com/other' }))
    assert(!isSignedBy(secret, { ...sample, fields: new Map([...sample.fields, ['To', '+1']]) }))
    for (const signature of ['', 'x', 'AAAA']) assert(!isSignedBy(secret, { ...sample, signature }))
  })

  test('only what is final is a receipt', () => {
    assert.deepEqual(
      ['queued', 'sent', 'delivered', 'undelivered', 'failed', ''].map((word) => told(word)?.state ?? null),
      [null, null, 'delivered', 'failed', 'failed', null],
    )
    assert.equal(receiptIn(new Map()), null)
  })
})

function told(MessageStatus: string) {
  return receiptIn(new Map(Object.entries({ MessageSid: 'SM1', MessageStatus })))
}

async function openDoor(t: Parameters<typeof openReceiver>[0], status: number, body: object | string) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const provider = await openReceiver(t, (_, response) => response.writeHead(status).end(text))
  return { provider, desk: await deskAt(provider.url) }
}

async function deskAt(url: string) {
  const desk = await openDesk(world())
  const { sendRequest, publicAddress } = desk.needs
  const base = url.replace('/hooks', '')
  const sender = textApiSender({
    url: base,
    account,
    token,
    from: '+12125550100',
    sendRequest,
    publicAddress,
  })
  return withSenders(desk, { text: sender })
}
