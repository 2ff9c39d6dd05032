import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { Secret } from '#kernel/secret.ts'

// Signatures of the Standard Webhooks specification, version v1 of it: HMAC-SHA-256 over id, time and body.

const prefix = 'whsec_'
const secretBytes = 32
const version = 'v1,'
// How far the receiver's clock and ours may be apart.
const toleranceS = 300

export type Signable = {
  readonly id: string
  readonly timestampS: number
  readonly body: string
}

export function newWebhookSecret(): Secret {
  return new Secret(`${prefix}${randomBytes(secretBytes).toString('base64')}`)
}

// One signature for each secret, so that a receiver may still know the old one or already the new one.
export function signWebhook(secrets: readonly Secret[], message: Signable): string {
  return secrets.map((secret) => version + signatureOf(secret, message)).join(' ')
}

export type SignatureCheck =
  | { readonly kind: 'matches' }
  | { readonly kind: 'wrong'; readonly because: 'no_headers' | 'too_old' | 'too_new' | 'no_match' }

export type ReceivedWebhook = {
  readonly id: string
  readonly timestamp: string
  readonly signatures: string
  readonly body: string
}

// What a receiver does: headers there, time close, one of the signatures right.
export function checkWebhook(
  secret: Secret,
  { id, timestamp, signatures, body }: ReceivedWebhook,
  nowS: number,
): SignatureCheck {
  if (id === '' || signatures === '' || !/^\d{1,12}$/.test(timestamp))
    return { kind: 'wrong', because: 'no_headers' }
  const timestampS = Number(timestamp)
  if (nowS - timestampS > toleranceS) return { kind: 'wrong', because: 'too_old' }
  if (timestampS - nowS > toleranceS) return { kind: 'wrong', because: 'too_new' }
  const expected = signatureOf(secret, { id, timestampS, body })
  const isRight = signatures.split(' ').some((one) => isSame(one, version + expected))
  return isRight ? { kind: 'matches' } : { kind: 'wrong', because: 'no_match' }
}

function signatureOf(secret: Secret, { id, timestampS, body }: Signable): string {
  const key = Buffer.from(secret.reveal().slice(prefix.length), 'base64')
  return createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const digestLength = 12

// An id that names its message for good: the same bytes have the same id wherever and whenever they are sent,
// and other bytes have another one, even where a restored database gives a number out again.
export function webhookId(name: string, body: string): string {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, digestLength)
  return `${name}_${digest}`
}
