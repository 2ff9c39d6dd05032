import { createHmac, timingSafeEqual } from 'node:crypto'
import type { DeliveryReceipt, OutgoingMessage, Sender, SendOutcome } from '#capabilities/messages/sender.ts'
import type { Secret } from '#kernel/secret.ts'
import type { OutgoingAnswer, OutgoingRequest, SendRequest } from '#platform/outbound/send-request.ts'

// A provider of texts that is asked by a form and answers in JSON, in the shape that Twilio made common.
type TextApiOptions = {
  readonly url: string
  readonly account: string
  readonly token: Secret
  // A phone number, a short code, a name, or the id of a messaging service (MG...).
  readonly from: string
  readonly sendRequest: SendRequest
  // Known only once the port is.
  readonly publicAddress: { readonly url: string }
}

export const textApiStatusPath = '/messages/status'
export const textApiInboundPath = '/messages/inbound'

const created = 201
// Which speak of the message, like all errors of the provider from 21,000 on; other 4xx speak of us, such as
// a wrong token or an account without money.
const messageStatuses = new Set([400, 409, 413, 422])
const messageCodes = { from: 21_000, to: 21_999 }
const notNow = 503
// Of the provider: the recipient has answered STOP.
const recipientStopped = 21_610
// Also of the provider: the number, name or service that we send from is none of ours, or has a full queue.
const senderCodes = new Set([21_212, 21_603, 21_606, 21_611, 21_659, 21_660, 21_701, 21_703])
const problemLengthMax = 300

// Every message has a connection of its own. But once a message has failed for a reason of the provider, we
// ask it something harmless before the next one is taken in hand.
export function textApiSender(options: TextApiOptions): Sender {
  let isDoubtful = false
  const closing = new AbortController()
  const asked = {
    ...options,
    sendRequest: (one: OutgoingRequest) => options.sendRequest(one, closing.signal),
  }
  return {
    name: 'api',
    open: async () => {
      const problem = isDoubtful ? await problemOf(asked) : null
      isDoubtful = problem !== null
      return problem === null ? { isOpen: true } : { isOpen: false, because: problem }
    },
    send: async (message) => {
      const outcome = await send(asked, message)
      isDoubtful = outcome.kind === 'busy' || outcome.kind === 'unknown'
      return outcome
    },
    // Nobody waits for an answer any more.
    close: async () => closing.abort(),
  }
}

// By asking for our own account. A provider that does not know this question (404, 405) is there, at least.
async function problemOf({ url, account, token, sendRequest }: TextApiOptions): Promise<string | null> {
  const outcome = await sendRequest({
    url: `${url}/2010-04-01/Accounts/${encodeURIComponent(account)}.json`,
    method: 'GET',
    headers: { authorization: authorizationOf(account, token) },
    body: Buffer.alloc(0),
  })
  if (outcome.kind === 'failed') return outcome.because
  const { status } = outcome
  const isThere = status < 400 || status === 404 || status === 405
  return isThere ? null : `The provider answered ${status}`
}

function authorizationOf(account: string, token: Secret): string {
  return `Basic ${Buffer.from(`${account}:${token.reveal()}`).toString('base64')}`
}

async function send(options: TextApiOptions, message: OutgoingMessage): Promise<SendOutcome> {
  const { url, account, token, from, publicAddress, sendRequest } = options
  const fields = new URLSearchParams({
    To: message.recipient,
    [from.startsWith('MG') ? 'MessagingServiceSid' : 'From']: from,
    Body: message.text,
    StatusCallback: `${publicAddress.url}${textApiStatusPath}`,
  })
  const outcome = await sendRequest({
    url: `${url}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`,
    method: 'POST',
    headers: {
      authorization: authorizationOf(account, token),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: Buffer.from(fields.toString()),
    keepsAnswer: true,
  })
  if (outcome.kind === 'answered') return outcomeOf(outcome)
  const { because, mayHaveArrived } = outcome
  return { kind: mayHaveArrived ? 'unknown' : 'busy', because, parts: [] }
}

// What is odd in an answer makes it unknown, never a success. So do errors of the provider but 503: it may
// have taken the text before it failed.
function outcomeOf({ status, body }: OutgoingAnswer): SendOutcome {
  const said = read(body.toString('utf8'))
  const because = `The provider answered ${status}${said.message === '' ? '' : `: ${said.message}`}`
  if (status === created && said.sid !== '')
    return { kind: 'sent', hasArrived: false, parts: [{ number: 1, ref: said.sid }] }
  if (status === notNow) return { kind: 'busy', because, parts: [] }
  if (status < 400 || status >= 500) return { kind: 'unknown', because, parts: [] }
  if (!isOfMessage(status, said.code)) return { kind: 'busy', because, parts: [] }
  return { kind: 'refused', because, parts: [], isStopped: said.code === recipientStopped }
}

function isOfMessage(status: number, code: number): boolean {
  if (senderCodes.has(code)) return false
  return messageStatuses.has(status) || (code >= messageCodes.from && code <= messageCodes.to)
}

function read(body: string): { readonly sid: string; readonly message: string; readonly code: number } {
  const members = new Map(Object.entries(Object(parse(body))))
  const textOf = (name: string): string => {
    const value = members.get(name)
    return typeof value === 'string' ? value.replace(/\p{Cc}+/gu, ' ').slice(0, problemLengthMax) : ''
  }
  return { sid: textOf('sid'), message: textOf('message'), code: Number(members.get('code') ?? 0) }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

export type SignedCall = {
  // The whole address, as the provider was told it.
  readonly url: string
  readonly fields: ReadonlyMap<string, string>
  readonly signature: string
}

// The provider signs the address and, sorted by name, every field of the form.
export function isSignedBy(token: Secret, { url, fields, signature }: SignedCall): boolean {
  const sorted = [...fields].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const signed = url + sorted.map(([name, value]) => name + value).join('')
  const right = createHmac('sha1', token.reveal()).update(signed, 'utf8').digest()
  const given = Buffer.from(signature, 'base64')
  return given.length === right.length && timingSafeEqual(given, right)
}

const lost = new Set(['undelivered', 'failed'])

// Null for word that says nothing final.
export function receiptIn(fields: ReadonlyMap<string, string>): DeliveryReceipt | null {
  const ref = fields.get('MessageSid') ?? ''
  const status = fields.get('MessageStatus') ?? ''
  if (ref === '') return null
  if (status === 'delivered') return { sender: 'api', ref, state: 'delivered', problem: '' }
  if (!lost.has(status)) return null
  const code = fields.get('ErrorCode') ?? ''
  const problem = `Not delivered: ${status}${code === '' ? '' : `, error ${code.slice(0, 10)}`}`
  return { sender: 'api', ref, state: 'failed', problem }
}
