import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runPortions } from '#engine/account-clock/run-portions.operation.ts'

// Takes so many at a time from what is left, and answers the portions that were taken.
function takingFrom(all: number, sizeMax: number) {
  const taken: number[] = []
  let left = all
  const take = async () => {
    const found = Math.min(left, sizeMax)
    left -= found
    taken.push(found)
    return found
  }
  return { taken, take }
}

for (const [all, portions] of [
  [0, [0]],
  [2, [2]],
  [3, [3, 0]],
  [7, [3, 3, 1]],
] as const) {
  test(`${all} are done three at a time, until a portion is not full`, async () => {
    const { taken, take } = takingFrom(all, 3)
    await runPortions(new AbortController(), 3, take)
    assert.deepEqual(taken, portions)
  })
}

test('no portion is begun once somebody else may be at it', async () => {
  const { taken, take } = takingFrom(9, 3)
  const turn = new AbortController()
  await runPortions(turn, 3, () => {
    turn.abort()
    return take()
  })
  await runPortions(turn, 3, take)
  assert.deepEqual(taken, [3])
})

test('a portion that fails ends it, and the ones before it are done', async () => {
  const { taken, take } = takingFrom(9, 3)
  const failing = () => (taken.length === 2 ? Promise.reject(new Error('broken')) : take())
  await assert.rejects(runPortions(new AbortController(), 3, failing), /broken/)
  assert.deepEqual(taken, [3, 3])
})
