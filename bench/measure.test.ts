import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { byNoise, describeNoise, isDisturbed } from './measure.ts'
import { noiseBetween } from './processor-time.ts'

test('what others did here, and what the host did for others, are shares of the machine', () => {
  const cores = availableParallelism()
  const before = { busyMs: 500, stolenMs: 70, at: 1_000 }
  const after = { busyMs: 500 + 900 * cores, stolenMs: 70 + 50 * cores, at: 2_000 }
  assert.deepEqual(noiseBetween(before, after, 800 * cores), { foreign: 0.1, stolen: 0.05 })
  assert.equal(noiseBetween(before, after, 950 * cores).foreign, 0)
})

for (const [what, foreign, stolen, expected] of [
  ['beside a little of others is fine', 0.07, 0, false],
  ['beside other programs is disturbed', 0.09, 0, true],
  ['on a host that works for others is disturbed', 0, 0.09, true],
  ['with a little of both is disturbed', 0.05, 0.04, true],
] as const) {
  test(`a sample ${what}`, () => {
    assert.equal(isDisturbed({ noise: { foreign, stolen } }), expected)
  })
}

test('the least disturbed sample is kept, whoever disturbed the others', () => {
  const samples = [
    { noise: { foreign: 0.2, stolen: 0 } },
    { noise: { foreign: 0, stolen: 0.1 } },
    { noise: { foreign: 0.06, stolen: 0.06 } },
  ]
  assert.equal(samples.toSorted(byNoise)[0], samples[1])
  assert.equal(describeNoise(samples), 'foreign CPU 6.0 %, stolen 6.0 %')
})
