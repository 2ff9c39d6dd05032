import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { mailOf } from '#capabilities/messages/mail.page.ts'
import type { MessageId } from '#capabilities/messages/message.ts'
import { readMessageBacklog } from '#capabilities/messages/show-messages.operation.ts'
import { smtpSender } from '#capabilities/messages/smtp.connector.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { Secret } from '#kernel/secret.ts'
import { openMailServer } from '../../../test/support/mail-server.ts'
import { dribble, openRudeMailServer } from '../../../test/support/rude-mail-server.ts'
import {
  deliver,
  messagesOf,
  mustQueue,
  newMail,
  openDesk,
  statesOf,
  withSenders,
} from '../../../test/support/message-world.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()
const fromAddress = 'payments@pay.example'

describe('e-mails over SMTP', () => {
  test('arrive with both forms, the name of the merchant and a Message-ID of ours', async (t) => {
    const { desk, server } = await openPost(t)
    const letter = { ...bill, title: 'Ein Beleg für Zoë 🎉' }
    await mustQueue(desk, newMail(desk, { subject: 'Rechnung für Zoë', ...mailOf(letter) }))
    await deliver(desk)
    const [got] = server.received
    assert(got)
    assert.deepEqual([got.to, got.from], ['ada@example.com', fromAddress])
    assert.deepEqual(got.mail.from, { name: 'Corner Books', address: fromAddress })
    assert.equal(got.mail.subject, 'Rechnung für Zoë')
    assert.match(got.mail.messageId ?? '', /^<[0-9a-f]{32}@pay\.example>$/)
    assert.match(got.mail.text ?? '', /Ein Beleg für Zoë 🎉: \$12\.50/)
    assert.match(got.mail.html ?? '', /&#xFC;r Zo&#xEB; &#x1F389;/)
    assert.deepEqual(await statesOf(desk), ['sent'])
  })

  test('wait while the server is down, and arrive once and in order of age when it is up', async (t) => {
    const { desk, server } = await openPost(t)
    await server.down()
    for (let at = 1; at <= 8; at += 1)
      await mustQueue(desk, newMail(desk, { subject: `Bill ${at}`, recipient: `p${at}@example.com` }))
    await deliver(desk)
    await deliver(desk)
    assert.equal(server.received.length, 0)
    desk.needs.clock.advance({ seconds: 2 })
    await deliver(desk)
    await server.up()
    await mustQueue(desk, newMail(desk, { subject: 'Bill 9', recipient: 'p9@example.com' }))
    desk.needs.clock.advance({ minutes: 1 })
    await deliver(desk)
    await deliver(desk)
    const subjects = server.received.map(({ mail }) => mail.subject)
    assert.deepEqual(
      subjects,
      Array.from({ length: 9 }, (_, at) => `Bill ${at + 1}`),
    )
    assert(desk.needs.lines.some(({ text }) => /their sender is away/.test(text)))
  })

  test('are tried again after 451, with the same Message-ID, and arrive', async (t) => {
    let tries = 0
    const seen: (string | undefined)[] = []
    const { desk, server } = await openPost(t, ({ mail }) => {
      seen.push(mail.messageId)
      tries += 1
      return tries < 3 ? { code: 451, text: 'Greylisted, try again' } : null
    })
    await mustQueue(desk, newMail(desk))
    await deliver(desk)
    await deliver(desk)
    const [waiting] = await messagesOf(desk)
    assert.deepEqual([waiting?.state, waiting?.tries], ['waiting', 1])
    assert.match(waiting?.problem ?? '', /451.*Greylisted/)
    desk.needs.clock.advance({ minutes: 2 })
    await deliver(desk)
    desk.needs.clock.advance({ minutes: 6 })
    await deliver(desk)
    assert.equal(server.received.length, 1)
    assert.deepEqual([seen.length, new Set(seen).size], [3, 1])
  })

  test('that get 451 for ever end as dead letters after two days', async (t) => {
    const { desk } = await openPost(t, () => ({ code: 451, text: 'Not now' }))
    await mustQueue(desk, newMail(desk))
    for (let round = 0; round < 12; round += 1) {
      await deliver(desk)
      desk.needs.clock.advance({ hours: 25 })
    }
    const [dead] = await messagesOf(desk)
    assert.deepEqual([dead?.state, dead?.tries], ['dead', 11])
  })

  test('that get 550 are dead at once, and hold nobody up', async (t) => {
    const { desk, server } = await openPost(t, ({ to }) =>
      to === 'gone@example.com' ? { code: 550, text: 'No such mailbox' } : null,
    )
    await mustQueue(desk, newMail(desk, { recipient: 'gone@example.com' }))
    await mustQueue(desk, newMail(desk))
    await deliver(desk)
    assert.deepEqual(await statesOf(desk), ['dead', 'sent'])
    assert.match((await messagesOf(desk))[0]?.problem ?? '', /550.*No such mailbox/)
    assert.deepEqual(
      server.received.map(({ to }) => to),
      ['ada@example.com'],
    )
  })

  test('whose server is lost behind the last word are sent again, under the same Message-ID', async (t) => {
    let tries = 0
    const { desk, server } = await openPost(t, () => {
      tries += 1
      return tries === 1 ? 'hang up' : null
    })
    await mustQueue(desk, newMail(desk))
    await deliver(desk)
    assert.deepEqual(await statesOf(desk), ['waiting'])
    desk.needs.clock.advance({ minutes: 2 })
    await deliver(desk)
    assert.deepEqual(await statesOf(desk), ['sent'])
    const ids = server.received.map(({ mail }) => mail.messageId)
    assert.deepEqual([ids.length, new Set(ids).size], [2, 1])
  })

  test('whose server is lost behind the last word each time are not sent for ever', async (t) => {
    const { desk, server } = await openPost(t, () => 'hang up')
    await mustQueue(desk, newMail(desk))
    for (let round = 0; round < 15; round += 1) {
      await deliver(desk)
      desk.needs.clock.advance({ hours: 25 })
    }
    const [letter] = await messagesOf(desk)
    assert.deepEqual([letter?.state, letter?.tries, server.received.length], ['unknown', 11, 11])
  })

  test('that a node had in hand when it died are sent again', async (t) => {
    const { desk, server } = await openPost(t)
    await mustQueue(desk, newMail(desk))
    const died = { ...desk.needs.senders.email, send: () => Promise.reject(new Error('killed')) }
    await assert.rejects(deliver(withSenders(desk, { email: died })), /killed/)
    await deliver(desk)
    assert.equal(server.received.length, 0)
    desk.needs.clock.advance({ minutes: 4 })
    await deliver(desk)
    assert.deepEqual([await statesOf(desk), server.received.length], [['sent'], 1])
  })

  test('carry nothing as a header that was typed into a name or a subject', async (t) => {
    const { desk, server } = await openPost(t)
    const name = 'Books\r\nBcc: eve@example.com\r\n\r\nHello'
    await makeMerchant(desk.needs, desk.account, { name: name.replaceAll(/[\r\n]+/g, ' ') })
    const subject = 'Bill\r\nBcc: eve@example.com\r\nX-Evil: 1\r\n\r\nbody'
    await mustQueue(desk, newMail(desk, { subject, merchantNumber: merchantNumber(2) }))
    await deliver(desk)
    const [got] = server.received
    assert(got)
    const names = got.mail.headers.map(({ key }) => key)
    assert(!names.includes('bcc') && !names.includes('x-evil'))
    assert.equal(got.to, 'ada@example.com')
    assert.match(got.mail.subject ?? '', /^Bill Bcc: eve/)
  })

  test('wait rather than show the password to a server that offers no TLS', async (t) => {
    const server = await openMailServer(t)
    const url = new Secret(server.url.reveal().replace('//', '//ada:secret@'))
    const sender = smtpSender({ url, fromAddress })
    t.after(() => sender.close())
    const desk = withSenders(await openDesk(world()), { email: sender })
    await mustQueue(desk, newMail(desk))
    await deliver(desk)
    assert.deepEqual([await statesOf(desk), server.received.length], [['waiting'], 0])
    const { lanes } = await readMessageBacklog(desk.needs)
    assert.match(lanes.find(({ channel }) => channel === 'email')?.problem ?? '', /STARTTLS/)
  })
})

describe('a mail server that does not keep to the rules', () => {
  for (const [what, answer] of [
    ['at great length', `250 ${randomBytes(20_000).toString('base64')}`],
    [
      'in many lines',
      randomBytes(20_000).toString('base64').replace(/.{60}/g, '250-$&\r\n').replace(/.*$/, '250 OK'),
    ],
    ['with what no text may contain', '250 O\0K'],
  ] as const)
    test(`and says ${what} that it has taken a letter is sent it once`, async (t) => {
      const { desk, letters } = await openRudePost(t, { '.': answer })
      await mustQueue(desk, newMail(desk))
      await deliver(desk)
      desk.needs.clock.advance({ minutes: 4 })
      await deliver(desk)
      assert.deepEqual([await statesOf(desk), letters.length], [['sent'], 1])
    })

  for (const command of ['EHLO', 'MAIL', 'RCPT', 'DATA', '.'] as const)
    test(`and never ends its answer to ${command} is left, and nothing is lost`, async (t) => {
      const { desk } = await openRudePost(t, { [command]: dribble }, { conversationMs: 500 })
      await mustQueue(desk, newMail(desk))
      await deliver(desk)
      assert.deepEqual(await statesOf(desk), ['waiting'])
      const { lanes } = await readMessageBacklog(desk.needs)
      assert.match(lanes.find(({ channel }) => channel === 'email')?.problem ?? '', /within 500 ms/)
    })

  test('and hangs up before it has the whole letter has not taken it: no try is counted', async (t) => {
    const { desk } = await openRudePost(t, { RCPT: (socket: Socket) => socket.destroy() })
    await mustQueue(desk, newMail(desk))
    for (let round = 0; round < 15; round += 1) {
      await deliver(desk)
      desk.needs.clock.advance({ minutes: 2 })
    }
    const [letter] = await messagesOf(desk)
    assert.deepEqual([letter?.state, letter?.tries], ['waiting', 0])
  })

  test('and takes only small letters holds up nothing but the large one', async (t) => {
    const { desk, letters } = await openRudePost(t, { EHLO: '250-rude.example\r\n250 SIZE 2000' })
    await mustQueue(desk, newMail(desk, { text: 'Please pay. '.repeat(200) }))
    await mustQueue(desk, newMail(desk))
    await deliver(desk)
    assert.deepEqual([await statesOf(desk), letters.length], [['dead', 'sent'], 1])
  })

  test('and says nothing does not keep the sender from being closed', async (t) => {
    const { url } = await openRudeMailServer(t, { EHLO: () => undefined })
    const sender = smtpSender({ url, fromAddress, patienceMs: 3_600_000 })
    const opened = sender.open()
    await sender.close()
    assert.deepEqual(await opened, { isOpen: false, because: 'The connection was closed' })
  })

  for (const [command, kind] of [
    ['RCPT', 'busy'],
    ['.', 'unknown'],
  ] as const)
    test(`and says nothing to ${command} is not waited for once the sender is closed`, async (t) => {
      const { url } = await openRudeMailServer(t, { [command]: () => void sender.close() })
      const sender = smtpSender({ url, fromAddress, conversationMs: 30_000 })
      await sender.open()
      const outcome = await sender.send(letter, async () => undefined)
      assert.deepEqual(outcome, { kind, because: 'The connection was closed', parts: [] })
    })
})

const letter = {
  messageId: 1n as MessageId,
  publicId: 'letter-1',
  recipient: 'ada@example.com',
  subject: 'Please pay',
  text: 'Please pay.',
  html: null,
  fromName: 'Corner Books',
  partsTaken: [],
}

const bill = {
  merchantName: 'Corner Books',
  title: 'Please pay',
  amount: '$12.50',
  paragraphs: ['Thank you.'],
  facts: [],
  button: null,
  footer: [],
  isSandbox: true,
}

async function openPost(...[t, verdict]: Parameters<typeof openMailServer>) {
  const server = await openMailServer(t, verdict)
  const sender = smtpSender({ url: server.url, fromAddress, patienceMs: 5_000 })
  t.after(() => sender.close())
  return { server, desk: withSenders(await openDesk(world()), { email: sender }) }
}

type Rudeness = Parameters<typeof openRudeMailServer>[1]

async function openRudePost(t: TestContext, rudeness: Rudeness, patience = {}) {
  const { letters, url } = await openRudeMailServer(t, rudeness)
  const sender = smtpSender({ url, fromAddress, ...patience })
  t.after(() => sender.close())
  return { letters, desk: withSenders(await openDesk(world()), { email: sender }) }
}
