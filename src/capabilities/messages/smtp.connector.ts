import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { OutgoingMessage, Sender, SendOutcome } from '#capabilities/messages/sender.ts'
import { assert } from '#kernel/assert.ts'
import type { Secret } from '#kernel/secret.ts'

type SmtpOptions = {
  // smtp://user:password@host:587, or smtps:// for TLS from the first byte.
  readonly url: Secret
  readonly fromAddress: string
  // With the server's silence.
  readonly patienceMs?: number
  // With a whole conversation: a server that says a little now and then is never silent.
  readonly conversationMs?: number
}

// Together less than a message is in hand.
const usual = { patienceMs: 30_000, conversationMs: 120_000 }
const answerLengthMax = 300
// The service is not available; it wants to know who we are, or does not believe it.
const serverCodes = new Set([421, 530, 535])
const tooLarge = 552
// What is refused before them is refused to us, and not to this message.
const messageCommands = new Set(['RCPT TO', 'DATA'])

type Connection = InstanceType<typeof SMTPConnection>

// One connection that is kept as long as it works, and one message at a time over it.
export function smtpSender(given: SmtpOptions): Sender {
  const options = { ...usual, ...given }
  let connection: Connection | null = null
  let opening: Connection | null = null
  const drop = (): void => {
    connection?.close()
    connection = null
  }
  return {
    name: 'smtp',
    open: async () => {
      if (connection) return { isOpen: true }
      const made = newConnection(options)
      opening = made
      const problem = await connect(made, options)
      opening = null
      if (problem) return { isOpen: false, because: wordsOf(problem) }
      // Servers end what is idle for long.
      made.once('end', () => {
        if (connection === made) connection = null
      })
      connection = made
      return { isOpen: true }
    },
    send: async (message) => {
      if (!connection) return { kind: 'busy', because: 'The connection was lost', parts: [] }
      const outcome = await converse(connection, await compose(options, message), options)
      // Whatever state a failure leaves the conversation in, the next message begins a new one.
      if (outcome.kind !== 'sent') drop()
      return outcome
    },
    close: async () => {
      opening?.close()
      connection?.quit()
      drop()
    },
  }
}

type Options = Required<SmtpOptions>

function newConnection({ url, patienceMs }: Options): Connection {
  const { protocol, hostname, port, username } = new URL(url.reveal())
  return new SMTPConnection({
    host: hostname.replace(/^\[|\]$/g, ''),
    secure: protocol === 'smtps:',
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    // A password never travels in the open.
    requireTLS: protocol === 'smtp:' && username !== '',
    ...(port === '' ? {} : { port: Number(port) }),
  })
}

// Answers what is wrong, if anything.
function connect(made: Connection, { url, conversationMs }: Options): Promise<Error | null> {
  const { username, password } = new URL(url.reveal())
  return new Promise((resolve) => {
    const end = (problem: Error | null): void => {
      clearTimeout(late)
      if (problem) made.close()
      resolve(problem)
    }
    const late = setTimeout(() => end(new Error(`Not ready within ${conversationMs} ms`)), conversationMs)
    // Also of a connection that breaks while nobody uses it: the event must be heard.
    made.on('error', end)
    // Whoever knows why it has ended says so first.
    made.once('end', () => setImmediate(end, new Error('The connection was closed')))
    made.connect((error) => {
      if (error || username === '') return end(error ?? null)
      const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
      made.login({ credentials }, (refused) => end(refused))
    })
  })
}

type Composed = { readonly from: string; readonly to: string; readonly octets: Buffer }

// Built by a composer that encodes every header, so that nothing in a name or a subject becomes a header of
// its own.
async function compose({ fromAddress }: SmtpOptions, message: OutgoingMessage): Promise<Composed> {
  const { fromName, recipient, subject, text, html, publicId } = message
  const domain = fromAddress.slice(fromAddress.lastIndexOf('@') + 1)
  const node = new MailComposer({
    from: { name: inOneLine(fromName), address: fromAddress },
    to: { name: '', address: recipient },
    subject: inOneLine(subject),
    messageId: `<${publicId}@${domain}>`,
    text,
    ...(html === null ? {} : { html }),
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile()
  const { from, to } = node.getEnvelope()
  assert(from === fromAddress && to.length === 1, 'a message goes from one address to one')
  return { from: fromAddress, to: recipient, octets: await node.build() }
}

function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

function converse(
  connection: Connection,
  { from, to, octets }: Composed,
  { conversationMs }: Options,
): Promise<SendOutcome> {
  return new Promise((resolve) => {
    let isHandedOver = false
    // Is read only once the server wants it.
    const content = Readable.from([octets]).once('end', () => {
      isHandedOver = true
    })
    const end = (error: Error | null, answer = ''): void => {
      clearTimeout(late)
      connection.off('end', lost)
      resolve(error ? outcomeOf(error, isHandedOver) : takenAs(answer))
    }
    // Also by ourselves, of which a letter on its way is told nothing else. Whoever knows why says so first.
    const lost = (): void => void setImmediate(end, new Error('The connection was closed'))
    const late = setTimeout(() => end(new Error(`No answer within ${conversationMs} ms`)), conversationMs)
    connection.once('end', lost)
    connection.send({ from, to: [to], size: octets.length }, content, (error, sent) =>
      end(error, sent?.response),
    )
  })
}

// However long the answer is, and whatever is in it.
function takenAs(answer: string): SendOutcome {
  const ref = inOneLine(answer).slice(0, answerLengthMax)
  return { kind: 'sent', hasArrived: false, parts: [{ number: 1, ref }] }
}

// From the recipient on, 4xx is a no for now and 5xx one for good. Without an answer nobody knows whether the
// server has taken it, if it had all of it.
function outcomeOf(error: Error, isHandedOver: boolean): SendOutcome {
  const code = 'responseCode' in error ? Number(error.responseCode) : 0
  const command = 'command' in error ? String(error.command) : ''
  const because = wordsOf(error)
  // A server that has told its limit beforehand is not asked.
  const isAboveLimit = command === 'MAIL FROM' && 'code' in error && error.code === 'EMESSAGE'
  if (code === tooLarge || isAboveLimit) return { kind: 'refused', because, parts: [] }
  const isOfMessage = messageCommands.has(command) && !serverCodes.has(code)
  if (code >= 400 && !isOfMessage) return { kind: 'busy', because, parts: [] }
  if (code >= 500) return { kind: 'refused', because, parts: [] }
  if (code >= 400) return { kind: 'later', because, parts: [] }
  return { kind: isHandedOver ? 'unknown' : 'busy', because, parts: [] }
}

function wordsOf(error: Error): string {
  const answer = 'response' in error && typeof error.response === 'string' ? error.response : ''
  const isSaid = answer === '' || error.message.includes(answer)
  return (isSaid ? error.message : `${error.message}; the server answered ${answer}`)
    .replace(/[\p{Cc}]+/gu, ' ')
    .slice(0, answerLengthMax)
}
