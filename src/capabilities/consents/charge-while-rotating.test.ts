import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listCardKeys } from '#engine/vault/check-card-keys.operation.ts'
import { rotateCardKeys } from '#engine/vault/rotate-card-keys.operation.ts'
import { charge, makeCallerOf, makeConsent, told } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

test('keys are rotated while cards are charged: no charge fails and no card becomes unreadable', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const consents = await Promise.all(Array.from({ length: 20 }, () => makeConsent(needs, caller)))
  const rotating = new AbortController()
  const chargeOn = async (consent: (typeof consents)[number]) => {
    const refusals: (string | null)[] = []
    do {
      const { members, refusal } = told(await charge(needs, caller, consent, { Amounts: 1.25 }))
      refusals.push(members.TxApproved ? refusal : (refusal ?? 'declined'))
    } while (!rotating.signal.aborted || refusals.length < 5)
    return refusals
  }
  const charging = Promise.all(consents.map(chargeOn))
  for (let rotation = 0; rotation < 3; rotation += 1) {
    const rotated = await rotateCardKeys(needs, { onProgress: () => undefined, batchSize: 4 })
    assert.deepEqual(rotated.unreadable, [])
  }
  rotating.abort()
  const refusals = (await charging).flat()
  assert.ok(refusals.length >= 100)
  assert.deepEqual(
    refusals.filter((refusal) => refusal !== null),
    [],
  )
  const inUse = (await listCardKeys(needs)).filter(({ cards }) => cards > 0)
  assert.deepEqual(
    inUse.map(({ state }) => state),
    ['current'],
  )
})
