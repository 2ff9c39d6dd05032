import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MissLimit } from '#transport/browser/miss-limit.ts'

test('after twenty misses a network waits for the rest of ten minutes, and others do not', () => {
  const limit = new MissLimit()
  for (let miss = 0; miss < 20; miss++) {
    assert.equal(limit.isReached('203.0.113.7', miss), false)
    limit.count('203.0.113.7', miss)
  }
  assert.equal(limit.isReached('203.0.113.7', 20), true)
  assert.equal(limit.isReached('203.0.113.8', 20), false)
  assert.equal(limit.isReached('203.0.113.7', 600_000), false)
})

test('looks count before it is known whether they miss, and hits are given back', () => {
  const limit = new MissLimit()
  const taken = Array.from({ length: 25 }, () => limit.take('203.0.113.7', 0))
  assert.equal(taken.filter(Boolean).length, 20)
  limit.giveBack('203.0.113.7')
  assert.deepEqual([limit.take('203.0.113.7', 1), limit.take('203.0.113.7', 1)], [true, false])
  for (let hit = 0; hit < 100; hit++) {
    assert(limit.take('203.0.113.8', 2))
    limit.giveBack('203.0.113.8')
  }
})

test('of more networks than there is room for, the oldest is forgotten', () => {
  const limit = new MissLimit(2)
  const countAll = (network: string, nowMs: number) => {
    for (let miss = 0; miss < 20; miss++) limit.count(network, nowMs)
  }
  countAll('203.0.113.7', 0)
  countAll('203.0.113.8', 1)
  // Its time is over, so it begins anew and is the newest.
  countAll('203.0.113.7', 600_000)
  countAll('203.0.113.9', 600_001)
  assert.equal(limit.networks, 2)
  assert.equal(limit.isReached('203.0.113.8', 600_000), false)
  assert.equal(limit.isReached('203.0.113.7', 600_002), true)
  assert.equal(limit.isReached('203.0.113.9', 600_002), true)
})
