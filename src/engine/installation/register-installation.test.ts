import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registerInstallation } from '#engine/installation/register-installation.operation.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

test('the first key ring is registered, and another ring or mode is refused from then on', async () => {
  const needs = world()
  const rings = Array.from({ length: 10 }, () => registerInstallation(needs))
  assert.ok((await Promise.all(rings)).every(({ ok }) => ok))
  const kindOf = async (ring: object) => {
    const result = await registerInstallation({ ...needs, keyRing: { ...needs.keyRing, ...ring } })
    return result.ok ? 'registered' : result.refusal.kind
  }
  assert.equal(await kindOf({ id: '0123456789abcdef' }), 'other_key_ring')
  assert.equal(await kindOf({ mode: 'live' }), 'other_mode')
  assert.equal(await kindOf({}), 'registered')
})
