import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { authenticatePath, useGateway } from '../support/in-process-gateway.ts'

describe('behind a proxy that writes a port with each address', () => {
  const gateway = useGateway({
    TILLGATE_TRUSTED_PROXIES: '127.0.0.1',
    TILLGATE_RATE_LIMITS: 'on',
    TILLGATE_FAILED_SIGN_INS_PER_MINUTE: '2',
    TILLGATE_HTTP_STATUS: 'strict',
  })
  const tryFrom = async (forwardedFor: string) => {
    const body = { AcctCode: gateway().accountCode, Token: 'wrong'.padEnd(32, '0') }
    return (await gateway().post(authenticatePath, body, { 'X-Forwarded-For': forwardedFor })).status
  }

  test('sign-ins that fail are counted by address, whatever the port', async () => {
    const from = ['203.0.113.9:1', '203.0.113.9:2', '[::ffff:203.0.113.9]:3', '203.0.113.10:4']
    const statuses: number[] = []
    for (const address of from) statuses.push(await tryFrom(address))
    assert.deepEqual(statuses, [401, 401, 429, 401])
  })

  test('a caller whom the proxy does not name is the proxy', async () => {
    assert.deepEqual([await tryFrom('unknown'), await tryFrom('hidden')], [401, 401])
    assert.equal(await tryFrom('203.0.113.77, unknown'), 429)
  })
})
