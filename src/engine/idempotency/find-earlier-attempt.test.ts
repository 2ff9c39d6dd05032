import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findEarlierAttempt } from '#engine/idempotency/find-earlier-attempt.operation.ts'
import { type Paid, pay } from '#engine/payments/pay.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { askToCharge, callerKey, newAttempt } from '../../../test/crash/attempt-builder.ts'
import { engineOn, openStage, type Stage, useLane } from '../../../test/crash/lane.ts'

const attemptOn = ({ account, time }: Stage, ref = 'a') =>
  newAttempt({ account, ref: `${ref}-${account}`, at: time.now(), key: 'k' })

const charge = (stage: Stage, needs: PaymentNeeds, ref = 'a'): Promise<Paid> =>
  pay(needs, attemptOn(stage, ref), askToCharge(needs))

const askedOn = ({ account }: Stage) => ({ account, ...callerKey('k') })

describe('what happened under a key before', () => {
  const lane = useLane()

  async function begin(name: string): Promise<{ stage: Stage; needs: PaymentNeeds }> {
    const stage = await openStage(lane(), name)
    return { stage, needs: engineOn(stage).needs }
  }

  test('nothing happened under a key that nobody has used', async () => {
    const { stage, needs } = await begin('nobody')
    assert.deepEqual(await findEarlierAttempt(needs, askedOn(stage)), { ok: true, value: null })
  })

  test('the attempt that was made is found again as it was told', async () => {
    const { stage, needs } = await begin('again')
    const paid = await charge(stage, needs)
    const found = await findEarlierAttempt(needs, askedOn(stage))
    assert(found.ok && paid.kind === 'recorded')
    assert.deepEqual(found.value, paid.attempt)
  })

  test('another request under the same key is refused', async () => {
    const { stage, needs } = await begin('other body')
    await charge(stage, needs)
    const found = await findEarlierAttempt(needs, { ...askedOn(stage), fingerprint: Buffer.from('other') })
    assert.equal(!found.ok && found.refusal.kind, 'key_reused')
  })

  test('an attempt that is being sent is running, and is named', async () => {
    const { stage, needs } = await begin('running')
    const verdict = await needs.attempts.add(attemptOn(stage))
    const found = await findEarlierAttempt(needs, askedOn(stage))
    assert(!found.ok && verdict.kind === 'sending')
    assert.deepEqual([found.refusal.kind, found.refusal.known], ['key_running', verdict.attempt])
  })

  test('a key counts for its account and its operation alone', async () => {
    const { stage, needs } = await begin('scope')
    const { stage: other } = await begin('other scope')
    await charge(stage, needs)
    assert.deepEqual(await findEarlierAttempt(needs, askedOn(other)), { ok: true, value: null })
    const elsewhere = { ...askedOn(stage), operation: 'other' }
    assert.deepEqual(await findEarlierAttempt(needs, elsewhere), { ok: true, value: null })
  })

  test('one whose outcome is not known is asked about once more', async () => {
    const { stage, needs } = await begin('asked again')
    const { faults } = stage.bank
    faults.add({ verb: 'authorize', times: 1, delivery: { losesAnswer: true, hangsUp: true } })
    faults.add({ verb: 'inquire', times: 1, delivery: { losesRequest: true, hangsUp: true } })
    const paid = await charge(stage, needs)
    assert.equal(paid.kind === 'recorded' && paid.attempt.state, 'unknown')
    const found = await findEarlierAttempt(needs, askedOn(stage))
    assert.equal(found.ok && found.value?.state, 'approved')
  })

  test('where nothing was sent the key is free, and a second charge runs under it', async () => {
    const { stage, needs } = await begin('free')
    await pay(needs, attemptOn(stage), async () => ({ kind: 'not_sent' }))
    assert.deepEqual(await findEarlierAttempt(needs, askedOn(stage)), { ok: true, value: null })
    const paid = await charge(stage, needs, 'b')
    assert.equal(paid.kind === 'recorded' && paid.attempt.state, 'approved')
  })

  test('fifty calls at once on two engines: one charge, and the others hear that it runs', async () => {
    const { stage } = await begin('fifty')
    const engines = [engineOn(stage), engineOn(stage)] as const
    const paid = await Promise.all(
      Array.from({ length: 50 }, (_, at) => charge(stage, engines[at % 2 === 0 ? 0 : 1].needs, `f${at}`)),
    )
    assert.equal(paid.filter(({ kind }) => kind === 'recorded').length, 1)
    assert.equal(paid.filter(({ kind }) => kind === 'duplicate').length, 49)
    const rows = await stage.bank.log.read({ last: 100 })
    assert.equal(rows.filter(({ verb }) => verb === 'authorize').length, 1)
  })
})
