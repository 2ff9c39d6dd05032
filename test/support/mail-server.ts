import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { Secret } from '#kernel/secret.ts'

export type ReceivedMail = {
  readonly to: string
  readonly from: string
  readonly mail: Email
  readonly raw: string
}

// Whoever says when it is over: a test, or a whole file.
type Lasting = { after(work: () => Promise<void>): void }

// What the server does with a message once it has read it whole: null takes it.
type Verdict = (mail: ReceivedMail) => { readonly code: number; readonly text: string } | 'hang up' | null

// What it says to MAIL FROM: null takes it.
type FromVerdict = () => { readonly code: number; readonly text: string } | null

export type MailServer = {
  readonly url: Secret
  readonly received: readonly ReceivedMail[]
  readonly port: number
  down(): Promise<void>
  up(): Promise<void>
}

// A real mail server that keeps what it is sent.
export async function openMailServer(
  t: Lasting,
  verdict: Verdict = () => null,
  fromVerdict: FromVerdict = () => null,
): Promise<MailServer> {
  const received: ReceivedMail[] = []
  let server = await listen(0, received, { verdict, fromVerdict })
  const address = server.server.address()
  assert(typeof address === 'object' && address)
  const { port } = address
  const down = async (): Promise<void> => {
    await new Promise<void>((resolve) => server.close(resolve))
  }
  t.after(down)
  return {
    url: new Secret(`smtp://127.0.0.1:${port}`),
    received,
    port,
    down,
    up: async () => {
      server = await listen(port, received, { verdict, fromVerdict })
    },
  }
}

type Verdicts = { readonly verdict: Verdict; readonly fromVerdict: FromVerdict }

async function listen(
  port: number,
  received: ReceivedMail[],
  { verdict, fromVerdict }: Verdicts,
): Promise<SMTPServer> {
  const server: SMTPServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 10,
    onMailFrom: (_, __, done) => {
      const said = fromVerdict()
      done(said && Object.assign(new Error(said.text), { responseCode: said.code }))
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        void take(Buffer.concat(chunks).toString('utf8'), {
          to: session.envelope.rcptTo.map(({ address }) => address).join(','),
          from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
        })
      })
      const take = async (raw: string, envelope: { to: string; from: string }): Promise<void> => {
        const mail = { ...envelope, raw, mail: await PostalMime.parse(raw) }
        const said = verdict(mail)
        if (said === 'hang up') {
          received.push(mail)
          for (const socket of sockets) socket.destroy()
          return
        }
        if (said === null) {
          received.push(mail)
          return done()
        }
        done(Object.assign(new Error(said.text), { responseCode: said.code }))
      }
    },
  })
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => sockets.add(socket))
  server.on('error', () => undefined)
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  return server
}
