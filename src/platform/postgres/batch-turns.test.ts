import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BatchTurns } from '#platform/postgres/batch-turns.ts'
import { Batcher } from '#platform/postgres/batcher.ts'
import { crowdIn, lanesOn, sizesOf } from '../../../test/support/batch-lanes.ts'

test('whoever comes while a batch of another kind is out leaves with all who came meanwhile', async (t) => {
  const { left, comesBack, reads, attempts } = lanesOn(t, crowdIn(new BatchTurns()))
  const first = attempts.add('a')
  await nextTurn()
  const later = [reads.add('b')]
  await nextTurn()
  later.push(reads.add('c'))
  assert.deepEqual(left, ['T1 a'])
  await comesBack('T1 a')
  assert.deepEqual(left, ['T1 a', 'read b+c'])
  await comesBack('read b+c')
  assert.deepEqual(await Promise.all([first, ...later]), ['a', 'b', 'c'])
})

test('callers of a batch that is back go on before the next one leaves, and may join it', async (t) => {
  const { left, comesBack, reads, attempts, answers } = lanesOn(t, crowdIn(new BatchTurns()))
  const done = Promise.all([
    reads.add('a').then(async (read) => {
      for (let steps = 0; steps < 6; steps += 1) await Promise.resolve()
      return attempts.add(read)
    }),
    answers.add('z'),
    nextTurn().then(() => attempts.add('b')),
  ])
  await nextTurn()
  await nextTurn()
  assert.deepEqual(left, ['read a', 'T2 z'])
  await comesBack('T2 z')
  await comesBack('read a')
  assert.deepEqual(left, ['read a', 'T2 z', 'T1 b+a'])
  await comesBack('T1 b+a')
  assert.deepEqual(await done, ['a', 'z', 'b'])
})

for (const [what, callers, leaves] of [
  ['leaves at once', 64, ['T1 a', 'read b']],
  ['waits', 65, ['T1 a']],
] as const) {
  test(`where there are ${callers} callers, a second batch ${what}`, async (t) => {
    const turns = new BatchTurns()
    for (let caller = 2; caller < callers; caller += 1) turns.beforeOthers.enter()
    const { left, comesBack, reads, attempts } = lanesOn(t, turns)
    const done = [attempts.add('a')]
    await nextTurn()
    done.push(reads.add('b'))
    await nextTurn()
    assert.deepEqual(left, leaves)
    for (const batch of ['T1 a', 'read b']) await comesBack(batch)
    assert.deepEqual(await Promise.all(done), ['a', 'b'])
  })
}

test('callers who have their answers are no crowd any more', async (t) => {
  const { left, comesBack, reads, attempts } = lanesOn(t, new BatchTurns())
  const crowd = Array.from({ length: 65 }, (_, at) => reads.add(`${at}`))
  await nextTurn()
  await comesBack(left.join())
  await Promise.all(crowd)
  const done = [attempts.add('a')]
  await nextTurn()
  done.push(reads.add('b'))
  await nextTurn()
  assert.deepEqual(left.slice(-2), ['T1 a', 'read b'])
  for (const batch of left.slice(-2)) await comesBack(batch)
  await Promise.all(done)
})

for (const kind of ['reads', 'attempts', 'answers'] as const) {
  for (const [sentence, { isAlone, callers, leave }] of [
    ['32 of a gateway alone leave together', { isAlone: true, callers: 32, leave: [32] }],
    ['40 leave as 32 and the rest', { isAlone: true, callers: 40, leave: [32, 8] }],
    ['64 leave in two halves', { isAlone: true, callers: 64, leave: [32, 32] }],
    ['91 leave by half of those who wait', { isAlone: true, callers: 91, leave: [46, 32, 13] }],
    ['91 of a worker among others leave together', { isAlone: false, callers: 91, leave: [91] }],
    ['201 leave in batches that are full', { isAlone: false, callers: 201, leave: [100, 100, 1] }],
    [
      '201 alone leave by half, but in none that is more than full',
      { isAlone: true, callers: 201, leave: [100, 51, 32, 18] },
    ],
  ] as const) {
    test(`of callers for ${kind}, ${sentence}`, async (t) => {
      const lanes = lanesOn(t, new BatchTurns({ isAlone }))
      assert.deepEqual(await sizesOf(lanes, kind, callers), leave)
    })
  }
}

test('outcomes wait for nothing, even while a transaction of new attempts hangs', async (t) => {
  const { left, comesBack, attempts, answers } = lanesOn(t, crowdIn(new BatchTurns()))
  const hanging = attempts.add('a')
  await nextTurn()
  const outcome = answers.add('z')
  await nextTurn()
  assert.deepEqual(left, ['T1 a', 'T2 z'])
  await comesBack('T2 z')
  assert.equal(await outcome, 'z')
  await comesBack('T1 a')
  await hanging
})

test('new attempts let four batches pass and then leave, however many outcomes there are', async (t) => {
  const { left, comesBack, attempts, answers } = lanesOn(t, crowdIn(new BatchTurns()))
  const outcomes = [answers.add('1')]
  await nextTurn()
  const attempt = attempts.add('a')
  await nextTurn()
  for (const next of ['2', '3', '4', '5', '6']) {
    outcomes.push(answers.add(next))
    await comesBack(`T2 ${Number(next) - 1}`)
  }
  assert.deepEqual(left, ['T2 1', 'T2 2', 'T2 3', 'T2 4', 'T2 5', 'T1 a', 'T2 6'])
  await comesBack('T1 a')
  await comesBack('T2 6')
  await Promise.all([attempt, ...outcomes])
})

test('what was left over from the last batch leaves at once, whatever else is out', async (t) => {
  const { left, comesBack, attempts, answers } = lanesOn(t, crowdIn(new BatchTurns()))
  const done = [attempts.add('a'), attempts.add("a'"), attempts.add("a''")]
  await nextTurn()
  done.push(answers.add('z'))
  await nextTurn()
  await comesBack('T1 a')
  await comesBack("T1 a'")
  assert.deepEqual(left, ['T1 a', 'T2 z', "T1 a'", "T1 a''"])
  for (const batch of ["T1 a''", 'T2 z']) await comesBack(batch)
  await Promise.all(done)
})

test('nobody waits longer than a tenth of a second for a batch that hangs', async (t) => {
  const { left, comesBack, attempts, reads } = lanesOn(t, crowdIn(new BatchTurns()))
  const hanging = attempts.add('a')
  await nextTurn()
  const read = reads.add('b')
  await nextTurn()
  t.mock.timers.tick(99)
  await nextTurn()
  assert.deepEqual(left, ['T1 a'])
  t.mock.timers.tick(1)
  await nextTurn()
  assert.deepEqual(left, ['T1 a', 'read b'])
  for (const batch of ['read b', 'T1 a']) await comesBack(batch)
  assert.deepEqual(await Promise.all([hanging, read]), ['a', 'b'])
})

test('a batch that failed is back as well', async (t) => {
  const turns = crowdIn(new BatchTurns())
  const { left, comesBack, reads } = lanesOn(t, turns)
  const failing = new Batcher<string, string>({
    sizeMax: 10,
    turn: turns.afterOthers,
    run: async () => {
      await nextTurn()
      throw new Error('a bad row')
    },
  })
  const failed = Promise.allSettled([failing.add('a'), failing.add('b')])
  await nextTurn()
  const read = reads.add('c')
  await nextTurn()
  assert.deepEqual(left, [])
  assert.deepEqual(
    (await failed).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  for (let turn = 0; turn < 3; turn += 1) await nextTurn()
  assert.deepEqual(left, ['read c'])
  await comesBack('read c')
  assert.equal(await read, 'c')
})

test('callers of a failed batch are no crowd any more once they are told, one after the other', async (t) => {
  const turns = new BatchTurns()
  const { left, comesBack, reads } = lanesOn(t, turns)
  const singles: (() => void)[] = []
  const failing = new Batcher<string, string>({
    sizeMax: 100,
    turn: turns.afterOthers,
    run: async (items) => {
      if (items.length > 1) throw new Error('a bad row among them')
      await new Promise<void>((resolve) => singles.push(resolve))
      if (items[0] === '0') throw new Error('the bad row')
      return items
    },
  })
  const crowd = Promise.allSettled(Array.from({ length: 65 }, (_, at) => failing.add(`${at}`)))
  await nextTurn()
  const answer = async () => {
    singles.pop()?.()
    await nextTurn()
  }
  for (let told = 0; told < 2; told += 1) await answer()
  const read = reads.add('b')
  await nextTurn()
  assert.deepEqual(left, ['read b'])
  await comesBack('read b')
  assert.equal(await read, 'b')
  while (singles.length > 0) await answer()
  const [bad, ...good] = await crowd
  assert.equal(bad?.status, 'rejected')
  assert(good.every(({ status }) => status === 'fulfilled'))
})
