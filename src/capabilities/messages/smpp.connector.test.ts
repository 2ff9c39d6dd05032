import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hearingOf } from '#capabilities/messages/hear-sender.operation.ts'
import { retryMessage } from '#capabilities/messages/retry-message.operation.ts'
import { showMessage } from '#capabilities/messages/show-messages.operation.ts'
import { SmppSender } from '#capabilities/messages/smpp.connector.ts'
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
import { openShortMessageCentre } from '../../../test/support/short-message-centre.ts'

const world = useWorld()

describe('texts over SMPP', () => {
  test('arrive at the phone as they were written, long and in any script', async (t) => {
    const { desk, centre } = await openLine(t)
    const long = `Grüße €5 [${'x'.repeat(400)}] {end}`
    const wide = `Счёт 😀 ${'Ж'.repeat(65)}😀${'漢字'.repeat(60)}`
    await mustQueue(desk, newText(desk))
    await mustQueue(desk, newText(desk, { text: long }))
    await mustQueue(desk, newText(desk, { text: wide }))
    await deliver(desk)
    assert.deepEqual(
      centre.texts().map(({ text }) => text),
      [newText(desk).text, long, wide],
    )
    assert(centre.parts.every(({ to }) => to === '+12125550123'))
    assert.deepEqual([...new Set(centre.parts.map(({ coding }) => coding))], [0, 8])
    assert.deepEqual(await statesOf(desk), ['sent', 'sent', 'sent'])
  })

  test('wait while the centre is down, and arrive once and in order of age when it is up', async (t) => {
    const { desk, centre } = await openLine(t)
    await mustQueue(desk, newText(desk, { text: 'Text 0', recipient: phone(0) }))
    await deliver(desk)
    await centre.down()
    await t.waitFor(() => assert(!centre.isBound()), { timeout: 30_000 })
    for (let at = 1; at <= 8; at += 1)
      await mustQueue(desk, newText(desk, { text: `Text ${at}`, recipient: phone(at) }))
    await deliver(desk)
    await deliver(desk)
    assert.equal(centre.parts.length, 1)
    await centre.up()
    await mustQueue(desk, newText(desk, { text: 'Text 9', recipient: phone(9) }))
    desk.needs.clock.advance({ minutes: 1 })
    await deliver(desk)
    await deliver(desk)
    assert.deepEqual(
      centre.texts().map(({ text }) => text),
      Array.from({ length: 10 }, (_, at) => `Text ${at}`),
    )
  })

  test('that nobody has confirmed are not sent again, because a text rings twice', async (t) => {
    const { desk, centre } = await openLine(t, () => 'hang up')
    await mustQueue(desk, newText(desk))
    await deliver(desk)
    desk.needs.clock.advance({ hours: 25 })
    await deliver(desk)
    const [lost] = await messagesOf(desk)
    assert.deepEqual([lost?.state, centre.parts.length], ['unknown', 0])
    assert.match(lost?.problem ?? '', /No answer to submit_sm/)
  })

  test('that nobody has confirmed are sent again when an operator says so, unless stopped', async (t) => {
    let asked = 0
    const { desk, centre } = await openLine(t, () => (++asked === 1 ? 'hang up' : 0))
    const id = await mustQueue(desk, newText(desk))
    await deliver(desk)
    const { onText } = hearingOf(desk.needs)
    await onText({ ...stranger, phone: '+12125550123', text: 'STOP' })
    const stopped = await retryMessage(desk.needs, id)
    assert.equal(!stopped.ok && stopped.refusal.kind, 'recipient_stopped')
    await onText({ ...stranger, phone: '+12125550123', text: 'START' })
    assert((await retryMessage(desk.needs, id)).ok)
    desk.needs.clock.advance({ minutes: 1 })
    await deliver(desk)
    assert.equal(centre.texts()[0]?.text, newText(desk).text)
    const again = await retryMessage(desk.needs, id)
    assert.equal(!again.ok && again.refusal.kind, 'message_not_ended')
    const none = await retryMessage(desk.needs, 999_999_999n)
    assert.equal(!none.ok && none.refusal.kind, 'message_not_found')
  })

  test('that a node had in hand when it died are not sent again', async (t) => {
    const { desk, centre } = await openLine(t)
    await mustQueue(desk, newText(desk))
    const died = withSenders(desk, {
      text: {
        ...desk.needs.senders.email,
        send: () => Promise.reject(new Error('killed')),
      },
    })
    await assert.rejects(deliver(died), /killed/)
    await deliver(desk)
    assert.deepEqual([await statesOf(desk), centre.parts.length], [['waiting'], 0])
    desk.needs.clock.advance({ minutes: 4 })
    await deliver(desk)
    assert.deepEqual([await statesOf(desk), centre.parts.length], [['unknown'], 0])
  })

  test('whose second part has to wait go on behind the first', async (t) => {
    let asked = 0
    const throttled = 0x58
    const { desk, centre } = await openLine(t, () => (++asked === 2 ? throttled : 0))
    const text = 'y'.repeat(400)
    await mustQueue(desk, newText(desk, { text }))
    await mustQueue(desk, newText(desk, { text: 'next' }))
    await deliver(desk)
    assert.equal(centre.parts.length, 1)
    desk.needs.clock.advance({ seconds: 5 })
    await deliver(desk)
    assert.deepEqual(
      centre.texts().map((one) => one.text),
      [text, 'next'],
    )
    assert.deepEqual(
      centre.parts.map(({ joined }) => joined?.number ?? 0),
      [1, 2, 3, 0],
    )
  })

  test('that are refused for good are dead, with the reason', async (t) => {
    const invalidDestination = 0x0b
    const { desk } = await openLine(t, () => invalidDestination)
    await mustQueue(desk, newText(desk))
    await deliver(desk)
    const [dead] = await messagesOf(desk)
    assert.equal(dead?.state, 'dead')
    assert.match(dead.problem, /0x0000000b/)
  })
})

describe('what a short message centre tells', () => {
  test('a text is delivered when receipts for all of its parts have come', async (t) => {
    const { desk, centre } = await openLine(t)
    const id = await mustQueue(desk, newText(desk, { text: 'z'.repeat(200) }))
    await deliver(desk)
    assert.equal(await centre.tell(receiptOf('ref-1', 'DELIVRD')), 0)
    assert.deepEqual(await statesOf(desk), ['sent'])
    assert.equal(await centre.tell(receiptOf('ref-2', 'DELIVRD')), 0)
    assert.deepEqual(await statesOf(desk), ['delivered'])
    const shown = await showMessage(desk.needs, id)
    assert.deepEqual(
      shown?.parts.map(({ ref, state }) => `${ref} ${state}`),
      ['ref-1 delivered', 'ref-2 delivered'],
    )
  })

  test('a text that could not be delivered is dead', async (t) => {
    const { desk, centre } = await openLine(t)
    await mustQueue(desk, newText(desk))
    await deliver(desk)
    await centre.tell(receiptOf('ref-1', 'ACCEPTD'))
    assert.deepEqual(await statesOf(desk), ['sent'])
    await centre.tell(receiptOf('ref-1', 'UNDELIV'))
    const [dead] = await messagesOf(desk)
    assert.deepEqual([dead?.state, dead?.problem], ['dead', 'Not delivered: UNDELIV, error 001'])
  })

  test('a receipt that is faster than our own record is kept for it', async (t) => {
    const { desk } = await openLine(t)
    await mustQueue(desk, newText(desk))
    const { onReceipt } = hearingOf(desk.needs)
    await onReceipt({ sender: 'smpp', ref: 'ref-1', state: 'delivered', problem: '' })
    await deliver(desk)
    assert.deepEqual(await statesOf(desk), ['delivered'])
  })

  test('STOP ends the texts to that phone, whichever account sends them, until START', async (t) => {
    const { desk, centre } = await openLine(t)
    await mustQueue(desk, newText(desk))
    await deliver(desk)
    assert.equal(await centre.tell(textFrom('12125550123', ' Stop. ')), 0)
    const refused = await queue(desk, newText(desk))
    assert(!refused.ok)
    assert.deepEqual(
      [refused.refusal.kind, refused.refusal.details],
      ['recipient_stopped', { recipient: '+12125550123' }],
    )
    await deliver(desk)
    assert.match(centre.texts().at(-1)?.text ?? '', /^Corner Books: you will get no more texts/)
    await centre.tell(textFrom('12125550123', 'STOP'))
    await deliver(desk)
    assert.equal(centre.parts.length, 2)
    await centre.tell(textFrom('12125550123', 'start'))
    await mustQueue(desk, newText(desk))
    await deliver(desk)
    assert.match(centre.texts().at(-2)?.text ?? '', /you will get texts from this number again/)
    assert.equal(centre.texts().at(-1)?.text, newText(desk).text)
  })

  test('what waits for a phone that stops is not sent', async (t) => {
    const { desk, centre } = await openLine(t)
    await mustQueue(desk, newText(desk))
    await hearingOf(desk.needs).onText({
      sender: 'smpp',
      ref: '',
      phone: '+12125550123',
      text: 'UNSUBSCRIBE',
      isAnswered: false,
    })
    await deliver(desk)
    assert.deepEqual(await statesOf(desk), ['dead', 'sent'])
    assert.equal(centre.parts.length, 1)
    await hearingOf(desk.needs).onText({ ...stranger, phone: '+12125550123', text: 'UNSTOP' })
  })

  test('HELP is answered with the name of the merchant, and not for ever', async (t) => {
    const { desk, centre } = await openLine(t)
    await mustQueue(desk, newText(desk, { recipient: phone(77) }))
    await deliver(desk)
    for (let asked = 0; asked < 9; asked += 1) await centre.tell(textFrom(phone(77).slice(1), 'help'))
    await deliver(desk)
    const answers = centre.texts().slice(1)
    assert.equal(answers.length, 5)
    assert.match(answers[0]?.text ?? '', /^Corner Books: .*Reply STOP to end them\.$/)
  })

  test('a phone is known by its number, however the centre writes it', async (t) => {
    const { desk, centre } = await openLine(t)
    const { onText } = hearingOf(desk.needs)
    for (const told of ['12125550166', '+12125550166', '2125550166', '(212) 555-0166']) {
      await onText({ ...stranger, phone: told, text: 'STOP' })
      const recipient = '+12125550166'
      const refused = await queue(desk, newText(desk, { recipient }))
      assert.equal(!refused.ok && refused.refusal.kind, 'recipient_stopped', told)
      await onText({ ...stranger, phone: recipient, text: 'START' })
    }
    assert.equal(centre.parts.length, 0)
  })

  test('a stranger is not answered, and chatter changes nothing', async (t) => {
    const { desk, centre } = await openLine(t)
    await centre.tell(textFrom('12125550999', 'HELP'))
    await centre.tell(textFrom('12125550123', 'please do not stop'))
    await mustQueue(desk, newText(desk))
    await deliver(desk)
    assert.equal(centre.parts.length, 1)
  })
})

const stranger = { sender: 'smpp', ref: '', isAnswered: false } as const

async function openLine(...[t, verdict]: Parameters<typeof openShortMessageCentre>) {
  const centre = await openShortMessageCentre(t, verdict)
  const desk = await openDesk(world())
  const sender = new SmppSender({ url: centre.url, from: '+12125550100', log: desk.needs.log })
  t.after(() => sender.close())
  sender.listen(hearingOf(desk.needs))
  await sender.open()
  return { centre, desk: withSenders(desk, { text: sender }) } satisfies {
    desk: MessageDesk
    centre: unknown
  }
}

function receiptOf(ref: string, word: string): object {
  const dates = 'submit date:2701151000 done date:2701151001'
  const text = `id:${ref} sub:001 dlvrd:001 ${dates} stat:${word} err:001 text:`
  return { ...addresses, esm_class: 4, short_message: text }
}

const addresses = { dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: '12125550100' }

function textFrom(from: string, text: string): object {
  return { ...addresses, source_addr_ton: 1, source_addr_npi: 1, source_addr: from, short_message: text }
}

function phone(number: number): string {
  return `+1212555${String(1_000 + number)}`
}
