import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstCallBody } from '#capabilities/sandbox/first-call.wire.ts'
import { seedSandbox } from '#capabilities/sandbox/seed-sandbox.operation.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { listAccounts } from '#engine/merchants/find-account.operation.ts'
import { statement } from '#platform/postgres/statement.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

test('four nodes that start at once seed one sandbox with one token and three records', async () => {
  const needs = world()
  const sandboxes = await Promise.all(Array.from({ length: 4 }, () => seedSandbox(needs)))
  assert.equal(new Set(sandboxes.map(({ token }) => token.reveal())).size, 1)
  const keys = sandboxes.map(({ integratorKey: { index, key } }) => `${index} ${key.reveal()}`)
  assert.match([...new Set(keys)].join(), /^300 [0-9a-f]{64}$/)
  const [sandbox] = sandboxes
  assert.ok(sandbox)
  const result = await authenticate(needs, { address: '127.0.0.1' }, sandbox)
  assert.ok(result.ok)
  assert.deepEqual(
    result.value.merchants.map(({ currency, isInternational, takesAch }) => [
      currency,
      isInternational,
      takesAch,
    ]),
    [
      ['USD', false, true],
      ['USD', false, true],
      ['EUR', true, false],
    ],
  )
  assert.equal((await listAccounts(needs)).length, 1)
  assert.equal(new Set(sandboxes.map(({ schedules }) => schedules.due)).size, 1)
  assert.equal(new Set(sandboxes.map(({ orders }) => Object.values(orders).join())).size, 1)
  assert.equal(new Set(sandboxes.map(({ links }) => links.open)).size, 1)
  assert.deepEqual(firstCallBody(sandbox), { AcctCode: 'TG0000001', Token: sandbox.token.reveal() })
})

const forgetKeys = statement('forget_integrator_keys', [], {}, `delete from integrator_key`)

test('a sandbox that was seeded before accounts had an integrator key gets one', async () => {
  const needs = world()
  await seedSandbox(needs)
  await needs.db.run(forgetKeys, [])
  const { integratorKey } = await seedSandbox(needs)
  const again = await seedSandbox(needs)
  assert.equal(integratorKey.index, '300')
  assert.equal(again.integratorKey.key.reveal(), integratorKey.key.reveal())
})
