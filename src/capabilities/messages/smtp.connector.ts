import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { OutgoingMessage, Sender, SendOutcome } from '#capabilities/messages/sender.ts'
import { assert } from '#kernel/assert.ts'
import type { Secret } from '#kernel/secret.ts'

type SmtpOptions = {
  // smtp://user:password@host:587, or smtps:// for TLS from the first byte.
  readonly url: Secret
  readonly fromAddress: string
  readonly patienceMs?: number
}

const patienceMsUsual = 30_000
const answerLengthMax = 300
// The service is not available; it wants to know who we are, or does not believe it.
const serverCodes = new Set([421, 530, 535])
const tooLarge = 552
// What is refused before them is refused to us, and not to this message.
const messageCommands = new Set(['RCPT TO', 'DATA'])

type Connection = InstanceType<typeof SMTPConnection>

// One connection that is kept as long as it works, and one message at a time over it.
export function smtpSender(options: SmtpOptions): Sender {
  let connection: Connection | null = null
  const drop = (): void => {
    connection?.close()
    connection = null
  }
  return {
    name: 'smtp',
    open: async () => {
      if (connection) return { isOpen: true }
      const made = await connect(options)
      if (made instanceof Error) return { isOpen: false, because: wordsOf(made) }
      // Servers end what is idle for long.
      made.once('end', () => {
        if (connection === made) connection = null
      })
      connection = made
      return { isOpen: true }
    },
    send: async (message) => {
      if (!connection) return { kind: 'busy', because: 'The connection was lost', parts: [] }
      const outcome = await converse(connection, await compose(options, message))
      // Whatever state a failure leaves the conversation in, the next message begins a new one.
      if (outcome.kind !== 'sent') drop()
      return outcome
    },
    close: async () => {
      connection?.quit()
      drop()
    },
  }
}

function connect({ url, patienceMs = patienceMsUsual }: SmtpOptions) {
  const { protocol, hostname, port, username, password } = new URL(url.reveal())
  const made = new SMTPConnection({
    host: hostname.replace(/^\[|\]$/g, ''),
    secure: protocol === 'smtps:',
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    // A password never travels in the open.
    requireTLS: protocol === 'smtp:' && username !== '',
    ...(port === '' ? {} : { port: Number(port) }),
  })
  return new Promise<Connection | Error>((resolve) => {
    const fail = (error: Error): void => {
      made.close()
      resolve(error)
    }
    made.once('error', fail)
    made.connect((error) => {
      if (error) return fail(error)
      if (username === '') return resolve(ready(made))
      const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
      made.login({ credentials }, (refused) => (refused ? fail(refused) : resolve(ready(made))))
    })
  })
}

// A connection that breaks while nobody uses it says so by an event that must be heard.
function ready(made: Connection): Connection {
  made.on('error', () => undefined)
  return made
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

function converse(connection: Connection, { from, to, octets }: Composed): Promise<SendOutcome> {
  return new Promise((resolve) => {
    connection.send({ from, to: [to], size: octets.length }, octets, (error, sent) => {
      if (error) resolve(outcomeOf(error))
      else
        resolve({
          kind: 'sent',
          hasArrived: false,
          parts: [{ number: 1, ref: sent?.response ?? '' }],
        })
    })
  })
}

// From the recipient on, 4xx is a no for now and 5xx one for good. Without an answer nobody knows whether the
// server has taken it.
function outcomeOf(error: Error): SendOutcome {
  const code = 'responseCode' in error ? Number(error.responseCode) : 0
  const command = 'command' in error ? String(error.command) : ''
  const because = wordsOf(error)
  const isOfMessage = messageCommands.has(command) || code === tooLarge
  if (code >= 400 && (serverCodes.has(code) || !isOfMessage)) return { kind: 'busy', because, parts: [] }
  if (code >= 500) return { kind: 'refused', because, parts: [] }
  if (code >= 400) return { kind: 'later', because, parts: [] }
  return { kind: 'unknown', because, parts: [] }
}

function wordsOf(error: Error): string {
  const answer = 'response' in error && typeof error.response === 'string' ? error.response : ''
  const isSaid = answer === '' || error.message.includes(answer)
  return (isSaid ? error.message : `${error.message}; the server answered ${answer}`)
    .replace(/[\p{Cc}]+/gu, ' ')
    .slice(0, answerLengthMax)
}
