import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Secret } from '#kernel/secret.ts'
import { checkWebhook, newWebhookSecret, signWebhook } from '#platform/crypto/standard-webhooks.ts'

const timestampS = 1_800_000_000
const message = { id: 'evt_57_0a1b2c', timestampS, body: '{"type":"payment.approved","note":"Größe 👍"}' }

// The library asks for the time itself.
function atThatTime<T>(work: () => T): T {
  mock.timers.enable({ apis: ['Date'], now: timestampS * 1_000 })
  try {
    return work()
  } finally {
    mock.timers.reset()
  }
}

function headersFor(secrets: readonly Secret[]) {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signWebhook(secrets, message),
  }
}

function received(signatures: string, changes: object = {}) {
  return { id: message.id, timestamp: String(timestampS), signatures, body: message.body, ...changes }
}

test('signs as the example of the specification does', () => {
  const secret = new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  const signed = signWebhook([secret], {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampS: 1_614_265_330,
    body: '{"test": 2432232314}',
  })
  assert.equal(signed, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('the public library accepts what we sign', () => {
  const secret = newWebhookSecret()
  const told = atThatTime(() => new Webhook(secret.reveal()).verify(message.body, headersFor([secret])))
  assert.deepEqual(told, JSON.parse(message.body))
})

test('we accept what the public library signs', () => {
  const secret = newWebhookSecret()
  const signed = new Webhook(secret.reveal()).sign(
    message.id,
    atThatTime(() => new Date(timestampS * 1_000)),
    message.body,
  )
  assert.deepEqual(checkWebhook(secret, received(signed), timestampS), { kind: 'matches' })
})

test('while a secret is exchanged, both the old and the new one verify', () => {
  const [fresh, old, stranger] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
  const headers = headersFor([fresh, old])
  for (const secret of [fresh, old])
    assert.doesNotThrow(() => atThatTime(() => new Webhook(secret.reveal()).verify(message.body, headers)))
  assert.throws(() => atThatTime(() => new Webhook(stranger.reveal()).verify(message.body, headers)))
})

test('a secret has 32 random bytes, and no two are alike', () => {
  const secrets = Array.from({ length: 100 }, () => newWebhookSecret().reveal())
  assert.equal(new Set(secrets).size, 100)
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  }
})

const secret = newWebhookSecret()
const signed = signWebhook([secret], message)
const wrong: readonly [string, object, string][] = [
  ['one byte of the body was changed', { body: message.body.replace('approved', 'declined') }, 'no_match'],
  ['the body was written anew with a blank more', { body: message.body.replace(':', ': ') }, 'no_match'],
  ['the id was changed', { id: 'evt_58_0a1b2c' }, 'no_match'],
  ['the time was changed', { timestamp: String(timestampS + 1) }, 'no_match'],
  ['the signature is another version', { signatures: signed.replace('v1,', 'v1a,') }, 'no_match'],
  ['the signature is missing', { signatures: '' }, 'no_headers'],
  ['the id is missing', { id: '' }, 'no_headers'],
  ['the time is no number', { timestamp: 'now' }, 'no_headers'],
]
for (const [what, changes, because] of wrong) {
  test(`is refused when ${what}`, () => {
    const check = checkWebhook(secret, received(signed, changes), timestampS)
    assert.deepEqual(check, { kind: 'wrong', because })
  })
}

for (const [ahead, because] of [
  [301, 'too_old'],
  [-301, 'too_new'],
] as const) {
  test(`is refused as ${because} when the receiver's clock is ${ahead} s ahead`, () => {
    const check = checkWebhook(secret, received(signed), timestampS + ahead)
    assert.deepEqual(check, { kind: 'wrong', because })
  })
}
