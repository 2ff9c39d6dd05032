import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Admission } from '#transport/admission.ts'

const calm = { inFlightMax: 2, waitMsMax: 60_000, loopDelayMsMax: 200, loopDelayMs: () => 0 }

test('a call beyond the limit waits until another one leaves', async () => {
  const admission = new Admission(calm)
  assert.deepEqual([await admission.enter('money'), await admission.enter('query')], [true, true])
  const third = admission.enter('money')
  admission.leave()
  assert.equal(await third, true)
})

test('a call that has waited too long is turned away, and its place is not lost', async () => {
  const admission = new Admission({ ...calm, inFlightMax: 1, waitMsMax: 1 })
  assert.equal(await admission.enter('money'), true)
  assert.equal(await admission.enter('money'), false)
  admission.leave()
  assert.equal(await admission.enter('money'), true)
})

test('a void waits for no place and hands none on', async () => {
  const admission = new Admission({ ...calm, inFlightMax: 1 })
  const isIn = [
    await admission.enter('money'),
    await admission.enter('vital'),
    await admission.enter('vital'),
  ]
  assert.deepEqual(isIn, [true, true, true])
  let isLastIn = false
  const last = Promise.resolve(admission.enter('money')).then((isAdmitted) => (isLastIn = isAdmitted))
  admission.leave()
  admission.leave()
  // Both voids are over and the first sale is not.
  await nextTurn()
  assert.equal(isLastIn, false)
  admission.leave()
  assert.equal(await last, true)
})

const delays = [
  [199, 'query', true],
  [201, 'query', false],
  [201, 'money', true],
  [401, 'money', false],
  [401, 'sign-in', false],
  [60_000, 'vital', true],
] as const
for (const [delay, load, isAdmitted] of delays) {
  const verdict = isAdmitted ? 'served' : 'turned away'
  test(`with the loop ${delay} ms late a call of kind ${load} is ${verdict}`, async () => {
    const admission = new Admission({ ...calm, loopDelayMs: () => delay })
    assert.equal(await admission.enter('vital'), true)
    assert.equal(await admission.enter(load), isAdmitted)
  })
}

test('a call that comes alone is served, however late the loop of a slow machine is', async () => {
  const admission = new Admission({ ...calm, loopDelayMs: () => 60_000 })
  assert.equal(await admission.enter('query'), true)
  assert.equal(await admission.enter('query'), false)
  admission.leave()
  assert.equal(await admission.enter('money'), true)
})
