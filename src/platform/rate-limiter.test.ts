import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimiter } from '#platform/rate-limiter.ts'

test('an account gets its calls of a second, then has to wait for the next one to flow back', () => {
  const limiter = new RateLimiter(20)
  for (let call = 0; call < 20; call += 1) assert.equal(limiter.take('1', 1_000), 0)
  assert.equal(limiter.take('1', 1_000), 50)
  assert.equal(limiter.take('1', 1_025), 25)
  assert.equal(limiter.take('1', 1_050), 0)
  assert.equal(limiter.take('1', 1_050), 50)
})

test('one account cannot use up the calls of another', () => {
  const limiter = new RateLimiter(1)
  assert.equal(limiter.take('1', 0), 0)
  assert.equal(limiter.take('1', 0), 1_000)
  assert.equal(limiter.take('2', 0), 0)
})

test('calls that were not made are not saved up for longer than a second', () => {
  const limiter = new RateLimiter(2)
  assert.equal(limiter.take('1', 0), 0)
  const later = 3_600_000
  assert.deepEqual(
    [limiter.take('1', later), limiter.take('1', later), limiter.take('1', later)],
    [0, 0, 500],
  )
})
