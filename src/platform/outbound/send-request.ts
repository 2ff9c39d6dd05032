import type { ClientRequest, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { maskCardNumbers } from '#kernel/card-in-text.ts'
import type { Mode } from '#platform/crypto/key-file.ts'
import { isSameAddress, reachOf } from '#platform/outbound/address-rule.ts'
import { resolveHost, type ResolveHost } from '#platform/outbound/resolve-host.ts'
import { readTarget, type Target } from '#platform/outbound/target-rule.ts'

// Not imported: whoever imports node:http is given all of it, its WebSocket too, which takes Node.js as long
// to read as Fastify.
const { request: requestPlain } = process.getBuiltinModule('node:http')
const { request: requestSecure } = process.getBuiltinModule('node:https')

// A request to a machine that is not ours and that a merchant has named. It may be slow, hostile or inside
// our own network, and none of that may matter.

export type OutgoingRequest = {
  readonly url: string
  readonly method: 'POST' | 'GET'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  // What is answered is dropped, unless somebody wants to read it.
  readonly keepsAnswer?: boolean
}

export type OutgoingAnswer = {
  readonly kind: 'answered'
  readonly status: number
  // The status line and the headers, cut.
  readonly head: string
  readonly retryAfter: string
  // Empty unless it was wanted; cut.
  readonly body: Buffer
}
export type OutgoingFailure = {
  readonly kind: 'failed'
  readonly because: string
  // Whether the other side may have read the request.
  readonly mayHaveArrived: boolean
}
export type OutgoingOutcome = OutgoingAnswer | OutgoingFailure

export type SendRequest = (outgoing: OutgoingRequest, signal?: AbortSignal) => Promise<OutgoingOutcome>

type SenderOptions = {
  readonly mode: Mode
  readonly resolve?: ResolveHost
  readonly connectMs?: number
  readonly totalMs?: number
}

const usualPatience = { connectMs: 5_000, totalMs: 15_000 }
const answerBytesMax = 64 * 1_024
const headLengthMax = 2_048
// Of what a merchant has named and the values that are added to it, which may be encrypted and long.
const addressLengthMax = 8_192

// Redirects are never followed, and what is answered is read no further than a bound.
export function requestSender(options: SenderOptions): SendRequest {
  const { mode, resolve = resolveHost, connectMs, totalMs } = { ...usualPatience, ...options }
  return async (outgoing, signal) => {
    const target = readTarget(outgoing.url, mode, { lengthMax: addressLengthMax })
    if (!target.ok) return failed(`The address ${String(target.refusal.details['problem'])}`)
    const addresses = await resolve(target.value.host)
    const [address] = addresses
    if (address === undefined) return failed('The host name is not known')
    // One that is not allowed spoils all: the next answer of the name server may begin with it.
    if (!addresses.every((one) => mayReach(one, mode))) return failed('The host is not on the internet')
    return converse({ outgoing, target: target.value, address, connectMs, totalMs, signal })
  }
}

function mayReach(address: string, mode: Mode): boolean {
  const reach = reachOf(address)
  if (mode === 'sandbox') return reach !== 'forbidden'
  return reach === 'public' && !isOwn(address)
}

function isOwn(address: string): boolean {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
  return all.some((own) => isSameAddress(own.address, address))
}

type Conversation = {
  readonly outgoing: OutgoingRequest
  readonly target: Target
  readonly address: string
  readonly connectMs: number
  readonly totalMs: number
  readonly signal: AbortSignal | undefined
}

function converse(conversation: Conversation): Promise<OutgoingOutcome> {
  const { outgoing, connectMs, totalMs, signal } = conversation
  return new Promise((resolve) => {
    const sending = open(conversation)
    const end = (outcome: OutgoingOutcome): void => {
      clearTimeout(connecting)
      clearTimeout(waiting)
      signal?.removeEventListener('abort', stop)
      sending.destroy()
      resolve(outcome)
    }
    let isConnected = false
    let known: OutgoingAnswer | null = null
    // Once there is a status, nothing that happens to the rest of the answer changes it.
    const fail = (because: string): void => end(known ?? failed(because, isConnected))
    const stop = (): void => fail('Stopped before it was answered')
    const connecting = setTimeout(() => fail(`No connection within ${connectMs} ms`), connectMs)
    const waiting = setTimeout(() => fail(`No answer within ${totalMs} ms`), totalMs)
    signal?.addEventListener('abort', stop, { once: true })
    sending.on('error', (error) => fail(wordsFor(error)))
    sending.on('socket', (socket) => {
      socket.once(conversation.target.isSecure ? 'secureConnect' : 'connect', () => {
        isConnected = true
        clearTimeout(connecting)
      })
    })
    sending.on('response', (answer) => {
      const head = outcomeOf(answer)
      known = head
      readRest(answer, (body) => end(outgoing.keepsAnswer ? { ...head, body } : head))
    })
    if (signal?.aborted) stop()
    else sending.end(outgoing.body.length > 0 ? outgoing.body : undefined)
  })
}

// Connects to the very address that was judged; the name is used for the certificate and the host header.
function open({ outgoing, target, address }: Conversation): ClientRequest {
  const { isSecure, host, port, path, hostHeader } = target
  const options = {
    agent: false,
    host: address,
    port,
    path,
    method: outgoing.method,
    headers: {
      ...outgoing.headers,
      host: hostHeader,
      connection: 'close',
      ...(outgoing.method === 'POST' ? { 'content-length': String(outgoing.body.length) } : {}),
    },
  }
  if (!isSecure) return requestPlain(options)
  return requestSecure({ ...options, ...(isIP(host) > 0 ? {} : { servername: host }) })
}

function outcomeOf(answer: IncomingMessage): OutgoingAnswer {
  const retryAfter = answer.headers['retry-after'] ?? ''
  return {
    kind: 'answered',
    status: answer.statusCode ?? 0,
    head: headOf(answer),
    retryAfter,
    body: Buffer.alloc(0),
  }
}

// The rest is read, up to a bound, so that the other side can finish in peace.
function readRest(answer: IncomingMessage, end: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  const done = (): void => end(Buffer.concat(chunks))
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes > answerBytesMax) done()
  })
  answer.on('end', done)
  answer.on('error', done)
}

// Cookies are nobody's business but the receiver's.
function headOf({ httpVersion, statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && name.toLowerCase() !== 'set-cookie' ? [`${name}: ${rawHeaders[at + 1] ?? ''}`] : [],
  )
  const first = `HTTP/${httpVersion} ${statusCode ?? 0} ${statusMessage ?? ''}`.trimEnd()
  return maskCardNumbers([first, ...lines].map(printable).join('\n')).slice(0, headLengthMax)
}

// Shown in terminals of operators, which control characters would move. PostgreSQL keeps no NUL either.
function printable(line: string): string {
  return line.replace(/\p{Cc}/gu, ' ')
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was cut',
  EPIPE: 'The connection was cut',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The host cannot be reached',
  ETIMEDOUT: 'No connection in time',
}

function wordsFor(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (words[code] !== undefined) return words[code]
  if (/CERT|TLS|SSL|ALTNAME/.test(code)) return `The certificate or TLS was refused (${code})`
  return code.startsWith('HPE_') ? 'The answer is no HTTP' : `The request failed (${code || 'no code'})`
}

function failed(because: string, mayHaveArrived = false): OutgoingFailure {
  return { kind: 'failed', because, mayHaveArrived }
}
