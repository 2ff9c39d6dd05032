import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { deliverChannel } from '#capabilities/messages/deliver-channel.operation.ts'
import { listLanes } from '#capabilities/messages/lane.store.ts'
import type { OutgoingMessage, Sender, SendOutcome } from '#capabilities/messages/sender.ts'
import { SmppSender } from '#capabilities/messages/smpp.connector.ts'
import { smtpSender } from '#capabilities/messages/smtp.connector.ts'
import { openMailServer } from '../../../test/support/mail-server.ts'
import {
  deliver,
  messagesOf,
  mustQueue,
  newMail,
  newText,
  openDesk,
  type MessageDesk,
  statesOf,
  withSenders,
} from '../../../test/support/message-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openShortMessageCentre } from '../../../test/support/short-message-centre.ts'

const world = useWorld()

describe('while a sender is away', () => {
  test('nothing overtakes and nothing is counted as a try, however long it takes', async () => {
    let isAway = true
    const { desk, taken } = await openDrill(() => (isAway ? busy : sent))
    await queueTexts(desk, 4)
    await rounds(desk, 60)
    assert.deepEqual(await statesOf(desk), ['waiting', 'waiting', 'waiting', 'waiting'])
    isAway = false
    await rounds(desk, 1)
    assert.deepEqual(taken, ['Text 0', 'Text 1', 'Text 2', 'Text 3'])
    assert.deepEqual(
      (await messagesOf(desk)).map(({ tries }) => tries),
      [1, 1, 1, 1],
    )
  })

  test('but only for one message, the others pass it after a while, and that one is put off', async () => {
    const { desk, taken } = await openDrill(({ text }) => (text === 'Text 0' ? busy : sent))
    await queueTexts(desk, 3)
    await rounds(desk, 19)
    assert.deepEqual(taken, [])
    await rounds(desk, 1)
    assert.deepEqual(taken, ['Text 1', 'Text 2'])
    const [first] = await messagesOf(desk)
    assert.deepEqual([first?.state, first?.tries], ['waiting', 1])
  })

  test('a text that may have been taken costs no other one', async () => {
    const { desk } = await openDrill(() => ({ kind: 'unknown', because: 'No answer', parts: [] }))
    await queueTexts(desk, 5)
    await deliver(desk)
    await deliver(desk)
    assert.deepEqual(await statesOf(desk), ['unknown', 'waiting', 'waiting', 'waiting', 'waiting'])
  })
})

describe('a card number in what a sender answers', () => {
  for (const kind of ['refused', 'later', 'busy', 'unknown'] as const) {
    test(`is masked when the answer is ${kind}`, async () => {
      const because = '550 no such user 4111-1111-1111-1111'
      const { desk } = await openDrill(() => ({ kind, because, parts: [] }))
      await queueTexts(desk, 1)
      await deliver(desk)
      const [first] = await messagesOf(desk)
      assert.equal(first?.problem, '550 no such user [card 1111]')
      const lanes = await listLanes(desk.needs.db)
      assert.doesNotMatch(JSON.stringify(lanes), /1111-/)
    })
  }
})

describe('a node that stops', () => {
  test('ends what is in hand and takes nothing more', async () => {
    const stopping = new AbortController()
    const { desk, taken } = await openDrill(() => {
      stopping.abort()
      return sent
    })
    await queueTexts(desk, 3)
    await deliverChannel(desk.needs, turnOf(stopping))
    const [, ...behind] = await statesOf(desk)
    assert.deepEqual([taken, behind], [['Text 0'], ['waiting', 'waiting']])
  })

  test('does not wait for a connection that nothing depends on', async () => {
    const stopping = new AbortController()
    const { desk: drill } = await openDrill(() => sent)
    const open = () => {
      stopping.abort()
      return new Promise<never>(() => undefined)
    }
    const desk = withSenders(drill, { text: { ...drill.needs.senders.text, open } })
    await queueTexts(desk, 1)
    await deliverChannel(desk.needs, turnOf(stopping))
    assert.deepEqual(await statesOf(desk), ['waiting'])
  })
})

describe('what is wrong with the sender and not with the message lets all of them wait', () => {
  for (const code of [451, 530, 550, 553])
    test(`a mail server that answers ${code} to MAIL FROM`, async (t) => {
      let isAway = true
      const said = { code, text: 'Not from you' }
      const server = await openMailServer(t, undefined, () => (isAway ? said : null))
      const sender = smtpSender({ url: server.url, fromAddress: 'payments@pay.example' })
      t.after(() => sender.close())
      const desk = withSenders(await openDesk(world()), { email: sender })
      await mustQueue(desk, newMail(desk))
      await mustQueue(desk, newMail(desk))
      await rounds(desk, 3)
      assert.deepEqual(await statesOf(desk), ['waiting', 'waiting'])
      isAway = false
      await rounds(desk, 1)
      assert.deepEqual(await statesOf(desk), ['sent', 'sent'])
    })

  // Not bound, system error, no such source address, wrong kind of source address.
  for (const status of [0x04, 0x08, 0x0a, 0x48])
    test(`a short message centre that answers 0x${status.toString(16)}`, async (t) => {
      let isAway = true
      const { desk } = await openLine(t, () => (isAway ? status : 0))
      await queueTexts(desk, 2)
      await rounds(desk, 3)
      assert.deepEqual(await statesOf(desk), ['waiting', 'waiting'])
      isAway = false
      await rounds(desk, 1)
      assert.deepEqual(await statesOf(desk), ['sent', 'sent'])
    })

  test('a short message centre that says nothing is left, and bound anew for the next text', async (t) => {
    let asked = 0
    const { desk, centre } = await openLine(t, () => (++asked === 1 ? 'silence' : 0), { answerMs: 2_000 })
    await queueTexts(desk, 2)
    await deliver(desk)
    assert.deepEqual(await statesOf(desk), ['unknown', 'waiting'])
    await t.waitFor(() => assert(!centre.isBound()), { timeout: 30_000 })
    await rounds(desk, 2)
    assert.deepEqual(await statesOf(desk), ['unknown', 'sent'])
    assert.equal(centre.parts.length, 2)
  })
})

const turnOf = ({ signal: stopping }: AbortController) =>
  ({ channel: 'text', signal: new AbortController().signal, stopping }) as const

const busy: SendOutcome = { kind: 'busy', because: 'Throttled', parts: [] }
const sent: SendOutcome = { kind: 'sent', hasArrived: false, parts: [] }

// A sender that does as the test says.
async function openDrill(verdict: (message: OutgoingMessage) => SendOutcome) {
  const desk = await openDesk(world())
  const taken: string[] = []
  const text: Sender = {
    ...desk.needs.senders.text,
    send: async (message) => {
      const outcome = verdict(message)
      if (outcome.kind === 'sent') taken.push(message.text)
      return outcome
    },
  }
  return { taken, desk: withSenders(desk, { text }) }
}

async function openLine(
  t: TestContext,
  verdict: Parameters<typeof openShortMessageCentre>[1],
  patience: { readonly answerMs?: number } = {},
) {
  const centre = await openShortMessageCentre(t, verdict)
  const desk = await openDesk(world())
  const { log } = desk.needs
  const sender = new SmppSender({ url: centre.url, from: '+12125550100', log, ...patience })
  t.after(() => sender.close())
  return { centre, desk: withSenders(desk, { text: sender }) }
}

async function queueTexts(desk: MessageDesk, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1)
    await mustQueue(desk, newText(desk, { text: `Text ${at}`, recipient: `+1212555${1_000 + at}` }))
}

async function rounds(desk: MessageDesk, count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    await deliver(desk)
    desk.needs.clock.advance({ seconds: 61 })
  }
}
