import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Batcher } from '#platform/postgres/batcher.ts'

// A run that waits for a word, so that a test decides what arrives meanwhile.
function held<Item>(answer: (item: Item) => string) {
  const batches: Item[][] = []
  const releases: (() => void)[] = []
  const run = async (items: readonly Item[]) => {
    batches.push([...items])
    await new Promise<void>((resolve) => releases.push(resolve))
    return items.map(answer)
  }
  const release = async () => {
    releases.shift()?.()
    await nextTurn()
  }
  return { batches, run, release }
}

test('callers of one turn share a batch, and those who come meanwhile share the next', async () => {
  const { batches, run, release } = held((item: number) => `done ${item}`)
  const batcher = new Batcher({ run, sizeMax: 10 })
  // Each in a callback of its own, as callers on different connections come.
  const first = [nextTurn().then(() => batcher.add(1)), nextTurn().then(() => batcher.add(2))]
  await nextTurn()
  await nextTurn()
  const later = [batcher.add(3), batcher.add(4)]
  await release()
  await release()
  assert.deepEqual(await Promise.all([...first, ...later]), ['done 1', 'done 2', 'done 3', 'done 4'])
  assert.deepEqual(batches, [
    [1, 2],
    [3, 4],
  ])
})

test('a batch is never larger than its limit', async () => {
  const { batches, run, release } = held((item: number) => String(item))
  const batcher = new Batcher({ run, sizeMax: 2 })
  const answers = Promise.all([1, 2, 3].map((item) => batcher.add(item)))
  await nextTurn()
  for (let turn = 0; turn < 2; turn += 1) await release()
  await answers
  assert.deepEqual(batches, [[1, 2], [3]])
})

test('two changes of the same consent never share a batch, and keep their order', async () => {
  const { batches, run, release } = held((item: { key: string; at: number }) => String(item.at))
  const batcher = new Batcher({ run, sizeMax: 10, keysOf: ({ key }) => [key] })
  const items = [
    { key: 'a', at: 1 },
    { key: 'a', at: 2 },
    { key: 'b', at: 3 },
    { key: 'a', at: 4 },
  ]
  const answers = Promise.all(items.map((item) => batcher.add(item)))
  await nextTurn()
  for (let turn = 0; turn < 3; turn += 1) await release()
  await answers
  assert.deepEqual(
    batches.map((batch) => batch.map(({ at }) => at)),
    [[1, 3], [2], [4]],
  )
})

test('of charges of one consent eight share a batch, and none of them overtakes another', async () => {
  const { batches, run, release } = held((item: { key: string; few: string; at: number }) => String(item.at))
  const batcher = new Batcher({ run, sizeMax: 20, keysOf: ({ key }) => [key], fewKeysOf: ({ few }) => [few] })
  const ofOne = Array.from({ length: 10 }, (_, at) => ({ key: `key ${at}`, few: 'a', at }))
  const ofAnother = [
    { key: 'key', few: 'b', at: 10 },
    // The same key, so it waits, and so does what is of its consent and comes later.
    { key: 'key', few: 'b', at: 11 },
    { key: 'key 12', few: 'b', at: 12 },
  ]
  const answers = Promise.all([...ofOne, ...ofAnother].map((item) => batcher.add(item)))
  await nextTurn()
  for (let turn = 0; turn < 2; turn += 1) await release()
  await answers
  assert.deepEqual(
    batches.map((batch) => batch.map(({ at }) => at)),
    [
      [0, 1, 2, 3, 4, 5, 6, 7, 10],
      [8, 9, 11, 12],
    ],
  )
})

test('one bad item fails alone: its neighbours are done without it', async () => {
  const seen: number[][] = []
  const batcher = new Batcher<number, string>({
    sizeMax: 10,
    run: async (items) => {
      seen.push([...items])
      await nextTurn()
      if (items.includes(3)) throw new Error('poisoned')
      return items.map(String)
    },
  })
  const results = await Promise.allSettled([1, 2, 3, 4].map((item) => batcher.add(item)))
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason))),
    ['1', '2', 'Error: poisoned', '4'],
  )
  assert.deepEqual(seen, [[1, 2, 3, 4], [1], [2], [3], [4]])
})

test('when the database is gone nobody is replayed: all are told at once', async () => {
  let runs = 0
  const batcher = new Batcher<number, string>({
    sizeMax: 10,
    isHopeless: () => true,
    run: async () => {
      runs += 1
      await nextTurn()
      throw new Error('gone')
    },
  })
  const first = [1, 2, 3].map((item) => batcher.add(item))
  await nextTurn()
  const meanwhile = batcher.add(4)
  const told = await Promise.allSettled([...first, meanwhile])
  const afterwards = await Promise.allSettled([batcher.add(5)])
  assert.ok([...told, ...afterwards].every(({ status }) => status === 'rejected'))
  assert.equal(runs, 3)
})

test('when the database goes away in the middle of a replay, the rest are told at once', async () => {
  const runs: (readonly number[])[] = []
  const batcher = new Batcher<number, string>({
    sizeMax: 10,
    isHopeless: (error) => error instanceof Error && error.message === 'gone',
    run: async (items) => {
      runs.push(items)
      if (items.length > 1) throw new Error('a bad row')
      if (items[0] === 2) throw new Error('gone')
      return items.map(String)
    },
  })
  const told = await Promise.allSettled([1, 2, 3, 4].map((item) => batcher.add(item)))
  assert.deepEqual(
    told.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'rejected'],
  )
  assert.deepEqual(runs, [[1, 2, 3, 4], [1], [2]])
})
