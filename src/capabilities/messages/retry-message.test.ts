import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hearingOf } from '#capabilities/messages/hear-sender.operation.ts'
import { retryMessage } from '#capabilities/messages/retry-message.operation.ts'
import type { SenderName } from '#capabilities/messages/sender.ts'
import { showMessage } from '#capabilities/messages/show-messages.operation.ts'
import { SmppSender } from '#capabilities/messages/smpp.connector.ts'
import { textApiSender } from '#capabilities/messages/text-api.connector.ts'
import { Secret } from '#kernel/secret.ts'
import {
  deliver,
  mustQueue,
  newText,
  openDesk,
  type MessageDesk,
  statesOf,
  withSenders,
} from '../../../test/support/message-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openShortMessageCentre } from '../../../test/support/short-message-centre.ts'
import { openReceiver } from '../../../test/support/webhook-receiver.ts'

const world = useWorld()

describe('a text that is sent again by an operator', () => {
  test('after the centre has lost it goes out once more and can arrive', async (t) => {
    const { desk, centre } = await openLine(t)
    const id = await mustQueue(desk, newText(desk))
    await deliver(desk)
    await tell(desk, 'smpp', { ref: 'ref-1', state: 'failed' })
    assert.deepEqual(await statesOf(desk), ['dead'])
    await retry(desk, id)
    assert.deepEqual([await statesOf(desk), centre.parts.length], [['sent'], 2])
    await tell(desk, 'smpp', { ref: 'ref-2', state: 'delivered' })
    assert.deepEqual(await partsOf(desk, id), ['1 ref-2 delivered'])
    assert.deepEqual(await statesOf(desk), ['delivered'])
  })

  test('after the provider has lost it goes out once more and can arrive', async (t) => {
    let asked = 0
    const provider = await openReceiver(t, (_, response) =>
      response.writeHead(201).end(JSON.stringify({ sid: `SM${++asked}` })),
    )
    const desk = await openDoor(provider.url.replace('/hooks', ''))
    const id = await mustQueue(desk, newText(desk))
    await deliver(desk)
    await tell(desk, 'api', { ref: 'SM1', state: 'failed' })
    await retry(desk, id)
    assert.deepEqual([await statesOf(desk), provider.received.length], [['sent'], 2])
    await tell(desk, 'api', { ref: 'SM2', state: 'delivered' })
    assert.deepEqual(await partsOf(desk, id), ['1 SM2 delivered'])
    assert.deepEqual(await statesOf(desk), ['delivered'])
  })

  test('is sent without the parts that have arrived', async (t) => {
    const { desk, centre } = await openLine(t)
    const text = 'y'.repeat(400)
    const id = await mustQueue(desk, newText(desk, { text }))
    await deliver(desk)
    await tell(desk, 'smpp', { ref: 'ref-1', state: 'delivered' })
    await tell(desk, 'smpp', { ref: 'ref-2', state: 'failed' })
    await retry(desk, id)
    assert.deepEqual(
      centre.parts.map(({ joined }) => joined?.number),
      [1, 2, 3, 2],
    )
    assert.deepEqual(await partsOf(desk, id), ['1 ref-1 delivered', '2 ref-4 sent', '3 ref-3 sent'])
  })

  test('is sent without the parts that were taken before the gateway was killed', async (t) => {
    const { desk, centre } = await openLine(t)
    const id = await mustQueue(desk, newText(desk, { text: 'y'.repeat(400) }))
    const { text } = desk.needs.senders
    const dying = withSenders(desk, {
      text: {
        name: text.name,
        open: () => text.open(),
        close: () => text.close(),
        // Behind its first part.
        send: (message, keep) =>
          text.send(message, async (part) => {
            await keep(part)
            throw new Error('killed')
          }),
      },
    })
    await assert.rejects(deliver(dying), /killed/)
    desk.needs.clock.advance({ minutes: 4 })
    await deliver(desk)
    assert.deepEqual([await statesOf(desk), centre.parts.length], [['unknown'], 1])
    await retry(desk, id)
    assert.deepEqual(
      centre.parts.map(({ joined }) => joined?.number),
      [1, 2, 3],
    )
  })
})

async function openLine(t: Parameters<typeof openShortMessageCentre>[0]) {
  const centre = await openShortMessageCentre(t)
  const desk = await openDesk(world())
  const sender = new SmppSender({ url: centre.url, from: '+12125550100', log: desk.needs.log })
  t.after(() => sender.close())
  return { centre, desk: withSenders(desk, { text: sender }) }
}

async function openDoor(url: string): Promise<MessageDesk> {
  const desk = await openDesk(world())
  const { sendRequest, publicAddress } = desk.needs
  const known = { account: 'ACtest', token: new Secret('provider-token'), from: '+12125550100' }
  return withSenders(desk, { text: textApiSender({ url, ...known, sendRequest, publicAddress }) })
}

type Told = { readonly ref: string; readonly state: 'delivered' | 'failed' }

function tell({ needs }: MessageDesk, sender: SenderName, told: Told): Promise<void> {
  const problem = told.state === 'failed' ? 'Not delivered: UNDELIV' : ''
  return hearingOf(needs).onReceipt({ sender, ...told, problem })
}

async function retry(desk: MessageDesk, id: bigint): Promise<void> {
  assert((await retryMessage(desk.needs, id)).ok)
  await deliver(desk)
}

async function partsOf({ needs }: MessageDesk, id: bigint): Promise<readonly string[]> {
  const shown = await showMessage(needs, id)
  return (shown?.parts ?? []).map(({ number, ref, state }) => `${number} ${ref} ${state}`)
}
