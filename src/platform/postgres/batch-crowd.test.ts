import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BatchCrowd } from '#platform/postgres/batch-crowd.ts'
import { Batcher } from '#platform/postgres/batcher.ts'

// A batcher whose batches come back when the test says so, the oldest first, and how large each one was.
function laneOf(crowd?: BatchCrowd) {
  const sizes: number[] = []
  const out: (() => void)[] = []
  const batcher = new Batcher<number, number>({
    sizeMax: 100,
    crowd,
    run: async (items) => {
      sizes.push(items.length)
      await new Promise<void>((resolve) => out.push(resolve))
      return items
    },
  })
  const come = (callers: number) => Array.from({ length: callers }, (_, at) => batcher.add(at))
  const comeBack = async () => {
    out.shift()?.()
    await nextTurn()
  }
  const comeBackAll = async () => {
    while (out.length > 0) await comeBack()
  }
  return { sizes, come, comeBack, comeBackAll }
}

for (const [sentence, { crowd, callers, leave }] of [
  ['16 of a gateway alone leave together', { crowd: new BatchCrowd(), callers: 16, leave: [16] }],
  ['20 leave as 16 and the rest', { crowd: new BatchCrowd(), callers: 20, leave: [16, 4] }],
  ['64 leave by half of those who wait', { crowd: new BatchCrowd(), callers: 64, leave: [32, 16, 16] }],
  ['91 leave by half of those who wait', { crowd: new BatchCrowd(), callers: 91, leave: [46, 23, 16, 6] }],
  [
    '202 leave by half, but in no batch that is more than full',
    { crowd: new BatchCrowd(), callers: 202, leave: [100, 51, 26, 16, 9] },
  ],
  ['91 of a worker among others leave together', { crowd: undefined, callers: 91, leave: [91] }],
  [
    '201 of a worker leave in batches that are full',
    { crowd: undefined, callers: 201, leave: [100, 100, 1] },
  ],
] as const) {
  test(`of callers at the same time, ${sentence}`, async () => {
    const { sizes, come, comeBackAll } = laneOf(crowd)
    const done = come(callers)
    await nextTurn()
    await comeBackAll()
    await Promise.all(done)
    assert.deepEqual(sizes, leave)
  })
}

test('callers of other batches are of the crowd until they have their answers', async () => {
  const crowd = new BatchCrowd()
  const [reads, attempts] = [laneOf(crowd), laneOf(crowd)]
  const done = reads.come(40)
  await nextTurn()
  done.push(...attempts.come(40))
  await nextTurn()
  // Half of 80: of the reads 20 are out and 20 wait.
  assert.deepEqual(attempts.sizes, [40])
  await attempts.comeBackAll()
  await reads.comeBackAll()
  await Promise.all(done)
  done.push(...attempts.come(40))
  await nextTurn()
  assert.deepEqual(attempts.sizes, [40, 20])
  await attempts.comeBackAll()
  await Promise.all(done)
})

for (const [sentence, failure] of [
  ['whoever is told of a failure', { isHopeless: () => true, run: fail }],
  ['whoever is told of a failure by itself', { isHopeless: () => false, run: fail }],
  ['whoever hears in the middle of a replay that all is over', { isHopeless: isOver, run: failThenEnd }],
] as const) {
  test(`${sentence} is of the crowd no more`, async () => {
    const crowd = new BatchCrowd()
    const broken = new Batcher<number, number>({ sizeMax: 100, crowd, ...failure })
    await Promise.allSettled(Array.from({ length: 50 }, (_, at) => broken.add(at)))
    const { sizes, come, comeBackAll } = laneOf(crowd)
    const done = come(40)
    await nextTurn()
    await comeBackAll()
    await Promise.all(done)
    assert.deepEqual(sizes, [20, 16, 4])
  })
}

function fail(): Promise<never> {
  return Promise.reject(new Error('gone'))
}

// A batch fails, and so does the third of its items when they are done one by one.
async function failThenEnd(items: readonly number[]): Promise<readonly number[]> {
  if (items.length > 1) throw new Error('a bad row')
  if ((items[0] ?? 0) % 3 === 2) throw new Error('over')
  return items
}

function isOver(error: unknown): boolean {
  return error instanceof Error && error.message === 'over'
}
