import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import smpp, { type Pdu, type Session } from 'smpp'
import { hearingOf } from '#capabilities/messages/hear-sender.operation.ts'
import { SmppSender } from '#capabilities/messages/smpp.connector.ts'
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

const world = useWorld()

describe('a short message centre that does not keep to the rules', () => {
  test('and gives a text a name that is far too long is understood by it', async (t) => {
    const name = randomBytes(3_000).toString('hex')
    const { desk, tell } = await openRudeLine(t, (pdu) => pdu.response({ message_id: name }))
    await mustQueue(desk, newText(desk))
    await deliver(desk)
    assert.deepEqual(await statesOf(desk), ['sent'])
    const receipt = { esm_class: 4, receipted_message_id: name, message_state: 2 }
    assert.equal(await tell(receipt), 0)
    assert.deepEqual(await statesOf(desk), ['delivered'])
  })

  test('and answers something else may have taken the text', async (t) => {
    const { desk } = await openRudeLine(t, (pdu) =>
      Object.assign(pdu, { command: 'enquire_link' }).response(),
    )
    await mustQueue(desk, newText(desk))
    await deliver(desk)
    const [text] = await messagesOf(desk)
    assert.deepEqual([text?.state, text?.problem], ['unknown', 'No answer to submit_sm'])
  })

  // Octets, binary, a message class: alphabets that say nothing about letters.
  for (const coding of [2, 4, 0xf5]) {
    test(`and writes a receipt in coding ${coding} is understood`, async (t) => {
      const { desk, tell } = await openRudeLine(t, (pdu) => pdu.response({ message_id: 'ref-1' }))
      await mustQueue(desk, newText(desk))
      await deliver(desk)
      const octets = Buffer.from('id: ref-1 sub:001 dlvrd:001 stat:DELIVRD err:000 text:')
      await tell({ esm_class: 4, data_coding: coding, short_message: octets })
      assert.deepEqual(await statesOf(desk), ['delivered'])
    })

    test(`and passes STOP on in coding ${coding} is understood`, async (t) => {
      const { desk, tell } = await openRudeLine(t, (pdu) => pdu.response({ message_id: 'ref-1' }))
      const from = { source_addr_ton: 1, source_addr: '12125550123' }
      await tell({ ...from, data_coding: coding, short_message: Buffer.from('STOP') })
      const refused = await queue(desk, newText(desk))
      assert.equal(!refused.ok && refused.refusal.kind, 'recipient_stopped')
      await tell({ ...from, short_message: 'START' })
    })
  }

  test('and gives a name again says nothing of the new text by what it said of an old one', async (t) => {
    const { desk } = await openRudeLine(t, (pdu) => pdu.response({ message_id: '6699' }))
    const { onReceipt } = hearingOf(desk.needs)
    await onReceipt({ sender: 'smpp', ref: '6699', state: 'failed', problem: 'Not delivered: EXPIRED' })
    desk.needs.clock.advance({ minutes: 6 })
    await mustQueue(desk, newText(desk))
    await deliver(desk)
    assert.deepEqual(await statesOf(desk), ['sent'])
  })

  test('and says nothing does not keep the sender from being closed', async (t) => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      t.after(() => socket.destroy())
      socket.once('data', () => asked())
    })
    const sender = senderTo(await portOf(t, server), 3_600_000)
    const opened = sender.open()
    await isAsked
    await sender.close()
    assert.deepEqual(await opened, { isOpen: false, because: 'The connection was closed' })
  })
})

// Binds as usual and answers texts as the test says.
async function openRudeLine(t: TestContext, answer: (pdu: Pdu) => Pdu) {
  const bound: Session[] = []
  const server = smpp.createServer((session) => {
    t.after(() => session.destroy())
    session.on('error', () => session.destroy())
    session.on('bind_transceiver', (pdu: Pdu) => {
      bound.push(session)
      session.send(pdu.response({ system_id: 'rude' }))
    })
    session.on('unbind', (pdu: Pdu) => session.send(pdu.response()))
    session.on('submit_sm', (pdu: Pdu) => session.send(answer(pdu)))
  })
  const sender = senderTo(await portOf(t, server))
  t.after(() => sender.close())
  const desk = withSenders(await openDesk(world()), { text: sender })
  sender.listen(hearingOf(desk.needs))
  await sender.open()
  const tell = (members: object) =>
    new Promise<number | undefined>((resolve) => {
      bound[0]?.deliver_sm(members, (heard) => resolve(heard.command_status))
    })
  return { desk, tell }
}

function senderTo(port: number, answerMs = 30_000): SmppSender {
  const url = new Secret(`smpp://tillgate:secret@127.0.0.1:${port}`)
  return new SmppSender({ url, from: '+12125550100', log: world().log, answerMs })
}

async function portOf(t: TestContext, server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}
