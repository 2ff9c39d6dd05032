import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { byNoise, describeNoise } from './measure.ts'
import { noiseBetween } from './processor-time.ts'

test('what others did here, and what the host did for others, are shares of the machine', () => {
  const cores = availableParallelism()
  const before = { busyMs: 500, stolenMs: 70, at: 1_000 }
  const after = { busyMs: 500 + 900 * cores, stolenMs: 70 + 50 * cores, at: 2_000 }
  assert.deepEqual(noiseBetween(before, after, 800 * cores), { foreign: 0.1, stolen: 0.05 })
  assert.deepEqual(noiseBetween(before, { ...after, stolenMs: 0 }, 950 * cores), { foreign: 0, stolen: 0 })
})

test('of several samples the one beside the fewest other programs is kept', () => {
  const samples = [
    { noise: { foreign: 0.2, stolen: 0 } },
    { noise: { foreign: 0.03, stolen: 0.3 } },
    { noise: { foreign: 0.06, stolen: 0.06 } },
  ]
  assert.equal(samples.toSorted(byNoise)[0], samples[1])
  assert.equal(describeNoise(samples), 'foreign CPU 6.0 %, stolen 6.0 %')
})
