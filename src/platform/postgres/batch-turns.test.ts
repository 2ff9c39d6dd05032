import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BatchTurns, type Turn } from '#platform/postgres/batch-turns.ts'
import { Batcher } from '#platform/postgres/batcher.ts'

// As many as there is time for at once: with one more, turns are taken. Their batch does not leave.
function crowdIn(turns: BatchTurns): BatchTurns {
  for (let caller = 0; caller < 64; caller += 1) turns.afterOthers.enter()
  return turns
}

// Batchers that write down what leaves. A batch is back and time passes when the test says so, and nobody's
// patience ends because the machine is slow. Whatever differs by an apostrophe alone never shares a batch.
function lanesOn({ mock }: TestContext, turns: BatchTurns) {
  mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  mock.method(performance, 'now', () => nowMs)
  const left: string[] = []
  const out = new Map<string, () => void>()
  const lane = (name: string, turn: Turn) =>
    new Batcher<string, string>({
      sizeMax: 100,
      turn,
      keysOf: (item) => [item.replaceAll("'", '')],
      run: async (items) => {
        const batch = `${name} ${items.join('+')}`
        left.push(batch)
        await new Promise<void>((resolve) => out.set(batch, resolve))
        return items
      },
    })
  const comesBack = async (batch: string) => {
    const back = out.get(batch)
    assert(back, `${batch} is out`)
    back()
    // To tell its callers, to wake those who wait, and for what leaves then.
    for (let turn = 0; turn < 3; turn += 1) await nextTurn()
  }
  return {
    left,
    comesBack,
    passMs: (ms: number) => void (nowMs += ms),
    reads: lane('read', turns.afterOthers),
    attempts: lane('T1', turns.withOthers),
    answers: lane('T2', turns.beforeOthers),
  }
}

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

// Attempts of so many have just been recorded.
async function recordCrowd({ left, attempts, comesBack }: ReturnType<typeof lanesOn>, callers: number) {
  const crowd = Array.from({ length: callers }, (_, at) => attempts.add(`${at}`))
  await nextTurn()
  await comesBack(left.splice(0).join())
  await Promise.all(crowd)
}

test('few attempts ahead of a crowd wait for it, and are recorded with it', async (t) => {
  const lanes = lanesOn(t, new BatchTurns())
  const { left, comesBack, reads, attempts, answers } = lanes
  await recordCrowd(lanes, 65)
  const done = [attempts.add('a'), answers.add('z')]
  await nextTurn()
  await comesBack('T2 z')
  done.push(reads.add('b').then((read) => attempts.add(read)))
  await nextTurn()
  assert.deepEqual(left, ['T2 z', 'read b'])
  await comesBack('read b')
  assert.deepEqual(left, ['T2 z', 'read b', 'T1 a+b'])
  await comesBack('T1 a+b')
  assert.deepEqual(await Promise.all(done), ['a', 'z', 'b'])
})

test('a crowd that does not come is waited for no longer than 25 ms', async (t) => {
  const lanes = lanesOn(t, new BatchTurns())
  await recordCrowd(lanes, 65)
  const alone = lanes.attempts.add('a')
  await nextTurn()
  t.mock.timers.tick(24)
  await nextTurn()
  assert.deepEqual(lanes.left, [])
  t.mock.timers.tick(1)
  await nextTurn()
  assert.deepEqual(lanes.left, ['T1 a'])
  await Promise.all([lanes.comesBack('T1 a'), alone])
})

for (const [what, { recorded, comes, laterMs }] of [
  ['half as many as a moment ago', { recorded: 66, comes: 33, laterMs: 0 }],
  ['few behind as many as there is time for at once', { recorded: 64, comes: 1, laterMs: 0 }],
  ['a lone one long after a crowd', { recorded: 65, comes: 1, laterMs: 200 }],
] as const) {
  test(`${what} leave at once`, async (t) => {
    const lanes = lanesOn(t, new BatchTurns())
    await recordCrowd(lanes, recorded)
    lanes.passMs(laterMs)
    const done = Array.from({ length: comes }, (_, at) => lanes.attempts.add(`${at}`))
    await nextTurn()
    assert.equal(lanes.left.length, 1)
    await lanes.comesBack(lanes.left.join())
    assert.equal((await Promise.all(done)).length, comes)
  })
}

test('what a batch leaves over does not hide that there is a crowd', async (t) => {
  const { left, comesBack, attempts } = lanesOn(t, new BatchTurns())
  const crowd = [attempts.add("0'"), ...Array.from({ length: 65 }, (_, at) => attempts.add(`${at}`))]
  await nextTurn()
  for (let batches = 0; batches < 2; batches += 1) await comesBack(left.splice(0).join())
  await Promise.all(crowd)
  const few = attempts.add('a')
  await nextTurn()
  assert.deepEqual(left, [])
  t.mock.timers.tick(25)
  await nextTurn()
  await Promise.all([comesBack('T1 a'), few])
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
