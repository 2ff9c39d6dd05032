import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { changeLimits } from '#capabilities/messages/change-limits.operation.ts'
import { hearingOf } from '#capabilities/messages/hear-sender.operation.ts'
import { queueMessage } from '#capabilities/messages/queue-message.operation.ts'
import type { Sender, SendOutcome } from '#capabilities/messages/sender.ts'
import { SmppSender } from '#capabilities/messages/smpp.connector.ts'
import { text as textType } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import {
  deliver,
  messagesOf,
  mustQueue,
  newText,
  openDesk,
  queue,
  type MessageDesk,
  withSenders,
} from '../../../test/support/message-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openShortMessageCentre } from '../../../test/support/short-message-centre.ts'

const world = useWorld()

describe('STOP', () => {
  test('that comes while a text is queued ends it before it is sent', async (t) => {
    const { desk, sent } = await openDrill(t, { kind: 'sent', hasArrived: false, parts: [] })
    await desk.needs.db.inTransaction(async (tx) => {
      assert((await queueMessage(tx, newText(desk, { recipient }))).ok)
      // Another connection, which does not see the text yet.
      await say(desk, 'STOP')
    })
    await deliver(desk)
    assert.deepEqual(await toldOf(desk), ['link dead: The recipient answered STOP'])
    assert.deepEqual(sent, [])
  })

  test('that comes while a text is in hand ends it when the sender is busy', async (t) => {
    const busy = { kind: 'busy', because: 'Throttled', parts: [] } as const
    const { desk } = await openDrill(t, busy, (drilled) => say(drilled, 'STOP'))
    await mustQueue(desk, newText(desk, { recipient }))
    await deliver(desk)
    assert.deepEqual(await toldOf(desk), ['link dead: The recipient answered STOP', 'reply waiting: '])
  })

  test('is answered, as is HELP before it', async (t) => {
    const { desk, sent } = await openDrill(t, { kind: 'sent', hasArrived: false, parts: [] })
    await mustQueue(desk, newText(desk, { recipient }))
    await deliver(desk)
    await say(desk, 'HELP')
    await say(desk, 'STOP')
    await deliver(desk)
    assert.equal(sent.length, 3)
    assert.match(sent[1] ?? '', /payment links that you asked for/)
    assert.match(sent[2] ?? '', /you will get no more texts/)
  })

  // The type of number is 0 unknown, 1 international, 2 national.
  const numbers: readonly [string, number, string, string][] = [
    ['+12125550100', 0, '3612345678', '+13612345678'],
    ['+12125550100', 2, '3612345678', '+13612345678'],
    ['+12125550100', 1, '3612345678', '+3612345678'],
    ['+12125550100', 0, '442071838750', '+442071838750'],
    ['+447911123400', 0, '02071838750', '+442071838750'],
    ['Tillgate', 0, '2125550167', '+12125550167'],
  ]
  for (const [from, type, told, phone] of numbers)
    test(`from ${told} (type ${type}) to ${from} is that of ${phone}`, async (t) => {
      const centre = await openShortMessageCentre(t)
      const desk = await openDesk(world())
      await changeLimits(desk.needs, desk.account.accountId, { countries: ['US', 'GB', 'HU'] })
      const sender = new SmppSender({ url: centre.url, from, log: desk.needs.log })
      t.after(() => sender.close())
      t.after(() => say(desk, 'START', phone))
      sender.listen(hearingOf(desk.needs))
      await sender.open()
      const members = { source_addr_ton: type, source_addr: told, destination_addr: '12125550100' }
      assert.equal(await centre.tell({ ...members, short_message: 'STOP' }), 0)
      const refused = await queue(desk, newText(desk, { recipient: phone }))
      assert.equal(!refused.ok && refused.refusal.kind, 'recipient_stopped')
    })
})

const recipient = '+12125550171'

// A sender that always answers the same, and hears something meanwhile.
const textsKept = statement('texts_kept', [], { kept: textType }, 'select body as kept from inbound_text')
const receiptsKept = statement(
  'receipts_kept',
  [],
  { kept: textType },
  'select problem as kept from early_receipt',
)

test('card numbers in texts and receipts that are received are masked', async () => {
  const { needs } = await openDesk(world())
  const hearing = hearingOf(needs)
  await hearing.onText({
    sender: 'smpp',
    ref: '',
    phone: '+12125550199',
    text: 'charge 4111 1111 1111 1111 please',
    isAnswered: false,
  })
  await hearing.onReceipt({ sender: 'smpp', ref: 'x1', state: 'failed', problem: 'to 4111111111111111' })
  const kept = [...(await needs.db.run(textsKept, [])), ...(await needs.db.run(receiptsKept, []))]
  const words = JSON.stringify(kept)
  assert.match(words, /charge \[card 1111\] please/)
  assert.match(words, /to \[card 1111\]/)
  assert.doesNotMatch(words, /4111/)
})

async function openDrill(
  t: TestContext,
  outcome: SendOutcome,
  meanwhile: (desk: MessageDesk) => Promise<void> = async () => undefined,
) {
  const desk = await openDesk(world())
  t.after(() => say(desk, 'START'))
  const sent: string[] = []
  const text: Sender = {
    ...desk.needs.senders.text,
    send: async (message) => {
      await meanwhile(desk)
      sent.push(message.text)
      return outcome
    },
  }
  return { sent, desk: withSenders(desk, { text }) }
}

function say({ needs }: MessageDesk, text: string, phone = recipient): Promise<void> {
  return hearingOf(needs).onText({ sender: 'smpp', ref: '', phone, text, isAnswered: false })
}

async function toldOf(desk: MessageDesk): Promise<readonly string[]> {
  return (await messagesOf(desk)).map(({ purpose, state, problem }) => `${purpose} ${state}: ${problem}`)
}
