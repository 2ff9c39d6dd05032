import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { registerFormBuilder } from '#transport/browser/form-builder-routes.ts'
import { registerInbox } from '#transport/browser/inbox-routes.ts'
import { isKnownHost } from '#transport/browser/known-host.ts'
import { registerOutbox } from '#transport/browser/outbox-routes.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()
const gateway = 'https://pay.shop.example'

const hosts: readonly [host: string, isKnown: boolean][] = [
  ['127.0.0.1:8080', true],
  ['192.168.1.7', true],
  ['[::1]:8080', true],
  ['localhost:8080', true],
  ['gateway:8080', true],
  ['till.local', true],
  ['pay.shop.example', true],
  ['PAY.shop.example.:443', true],
  ['elsewhere.example:8080', false],
  ['127.0.0.1.elsewhere.example', false],
  ['localhost.elsewhere.example', false],
  ['shop.example', false],
]
for (const [host, isKnown] of hosts) {
  test(`the sandbox ${isKnown ? 'is shown' : 'is not shown'} to whoever comes by ${host}`, () =>
    assert.equal(isKnownHost(host, gateway), isKnown))
}

test('a name that a stranger has led to this machine shows nothing of it', async () => {
  const context = world()
  const app = fastify()
  registerOutbox(app, { context, baseUrl: () => gateway })
  registerInbox(app, { context, ownPlace: () => ({ baseUrl: gateway, dataFolder: null }) })
  registerFormBuilder(app, {
    context,
    operations: [],
    callOperation: () => assert.fail('nothing is called'),
    baseUrl: () => gateway,
  })
  for (const url of ['/sandbox/outbox', '/sandbox/outbox/1/mail', '/sandbox/inbox', '/sandbox/forms']) {
    const refused = await app.inject({ url, headers: { host: 'elsewhere.example:8080' } })
    assert.equal(refused.statusCode, 403, url)
    assert.match(refused.body, /BASE_URL/)
    const served = await app.inject({ url, headers: { host: '127.0.0.1:8080' } })
    assert.notEqual(served.statusCode, 403, url)
  }
})
