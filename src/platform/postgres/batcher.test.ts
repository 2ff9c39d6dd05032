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
  const batcher = new Batcher({ run, sizeMax: 10, keysOf: ({ key }) => ({ own: [key], shared: [] }) })
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

type Charge = { readonly key: string; readonly consent: string; readonly isAlone?: true }

// Each as its key, so that batches read like a list.
for (const [sentence, charges, leave] of [
  [
    'eight of one consent share a batch, and others join them',
    [...eightOf('a'), { key: 'a8', consent: 'a' }, { key: 'a9', consent: 'a' }, { key: 'b', consent: 'b' }],
    ['a0 a1 a2 a3 a4 a5 a6 a7 b', 'a8 a9'],
  ],
  [
    'the same key twice never shares one, and what is of its consent and comes later waits behind it',
    [...['x', 'x', 'y'].map((key) => ({ key, consent: 'a' })), { key: 'z', consent: 'b' }],
    ['x z', 'x y'],
  ],
  [
    'the same key under another consent waits behind one that had no room',
    [...eightOf('a'), { key: 'k', consent: 'a' }, { key: 'k', consent: 'b' }],
    ['a0 a1 a2 a3 a4 a5 a6 a7', 'k', 'k'],
  ],
  [
    'one that shares its consent with none leaves without those that come behind it',
    [{ key: 'x', consent: 'a', isAlone: true }, ...['y', 'z'].map((key) => ({ key, consent: 'a' }))],
    ['x', 'y z'],
  ],
  [
    'one that shares its consent with none leaves without those that came before it',
    [
      { key: 'x', consent: 'a' },
      { key: 'y', consent: 'a', isAlone: true },
      { key: 'z', consent: 'a' },
    ],
    ['x', 'y', 'z'],
  ],
] as const satisfies readonly (readonly [string, readonly Charge[], readonly string[]])[]) {
  test(`of charges at the same time, ${sentence}`, async () => {
    const left: string[] = []
    const batcher = new Batcher<Charge, string>({
      sizeMax: 20,
      keysOf: ({ key, consent, isAlone }) =>
        isAlone ? { own: [key, consent], shared: [] } : { own: [key], shared: [consent] },
      run: async (items) => {
        left.push(items.map(({ key }) => key).join(' '))
        await nextTurn()
        return items.map(({ key }) => key)
      },
    })
    await Promise.all(charges.map((charge) => batcher.add(charge)))
    assert.deepEqual(left, leave)
  })
}

function eightOf(consent: string): readonly Charge[] {
  return Array.from({ length: 8 }, (_, at) => ({ key: `${consent}${at}`, consent }))
}

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
