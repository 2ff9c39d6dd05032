import { createHmac, timingSafeEqual } from 'node:crypto'
import type { DeliveryReceipt, OutgoingMessage, Sender, SendOutcome } from '#capabilities/messages/sender.ts'
import type { Secret } from '#kernel/secret.ts'
import type { OutgoingAnswer, SendRequest } from '#platform/outbound/send-request.ts'

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
const busyStatuses = new Set([429, 503])
// Of the provider: the recipient has answered STOP.
const recipientStopped = 21_610
const problemLengthMax = 300

export function textApiSender(options: TextApiOptions): Sender {
  return {
    name: 'api',
    // Every message has a connection of its own, so there is nothing to open.
    open: async () => ({ isOpen: true }),
    send: (message) => send(options, message),
    close: async () => undefined,
  }
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
      authorization: `Basic ${Buffer.from(`${account}:${token.reveal()}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: Buffer.from(fields.toString()),
    keepsAnswer: true,
  })
  if (outcome.kind === 'answered') return outcomeOf(outcome)
  const { because, mayHaveArrived } = outcome
  return { kind: mayHaveArrived ? 'unknown' : 'busy', because, parts: [] }
}

// What is odd in an answer makes it unknown, never a success.
function outcomeOf({ status, body }: OutgoingAnswer): SendOutcome {
  const said = read(body)
  const because = `The provider answered ${status}${said.message === '' ? '' : `: ${said.message}`}`
  if (status === created && said.sid !== '')
    return { kind: 'sent', hasArrived: false, parts: [{ number: 1, ref: said.sid }] }
  if (busyStatuses.has(status)) return { kind: 'busy', because, parts: [] }
  if (status >= 400 && status < 500)
    return { kind: 'refused', because, parts: [], isStopped: said.code === recipientStopped }
  return { kind: 'unknown', because, parts: [] }
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
